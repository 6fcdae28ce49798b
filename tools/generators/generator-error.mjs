/** A reason not to generate, printed without a stack trace. */
export class GeneratorError extends Error {}
