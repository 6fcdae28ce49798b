import type { Variables } from '../../kernel/config/variables.js';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export class LoggingConfig {
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Whether the log has addresses of clients. */
  readonly logAddresses: boolean;

  constructor(variables: Variables) {
    this.logLevel = variables.oneOf('LOG_LEVEL', LOG_LEVELS, 'info');
    this.logAddresses = variables.flag('LOG_ADDRESSES', true);
  }
}
