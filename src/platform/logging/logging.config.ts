import type { Variables } from '../config/variables.js';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export class LoggingConfig {
  readonly logLevel: (typeof LOG_LEVELS)[number];

  constructor(variables: Variables) {
    this.logLevel = variables.oneOf('LOG_LEVEL', LOG_LEVELS, 'info');
  }
}
