import type { LoggerService } from '@nestjs/common';

/** Their errors are thrown too, and `run` prints what is thrown. */
const THROWING = ['ExceptionHandler', 'TypeOrmModule'];

/** The errors of Nest before the service has its logger: some of them end the process, such as a missing package. */
export const startLogger: LoggerService = {
  log: () => undefined,
  warn: () => undefined,
  error(message: unknown, ...rest: unknown[]) {
    if (!THROWING.includes(String(rest.at(-1)))) process.stderr.write(`petstore: ${String(message)}\n`);
  },
};
