import type { LoggerService } from '@nestjs/common';
import { programName } from '../../kernel/config/service.js';

/** Contexts whose errors are also thrown, so that `run` prints them. */
const THROWING = ['ExceptionHandler', 'TypeOrmModule'];

/**
 * Prints errors that Nest logs before the service has its logger. Some of them, such as a missing package,
 * end the process.
 */
export const startLogger: LoggerService = {
  log: () => undefined,
  warn: () => undefined,
  error(message: unknown, ...rest: unknown[]) {
    if (!THROWING.includes(String(rest.at(-1))))
      process.stderr.write(`${programName()}: ${String(message)}\n`);
  },
};
