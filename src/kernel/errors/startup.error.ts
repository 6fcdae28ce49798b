/** Something the person who starts the service can put right: shown as one line, without a stack. */
export class StartupError extends Error {}
