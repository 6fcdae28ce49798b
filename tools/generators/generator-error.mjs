/** A reason not to generate, told to the person at the command line without a stack. */
export class GeneratorError extends Error {}
