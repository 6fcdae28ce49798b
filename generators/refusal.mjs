/** A reason not to generate, told to the person at the command line without a stack. */
export class Refusal extends Error {}
