import type { LoggerService } from '@nestjs/common';
import { isNativeError } from 'node:util/types';
import { type DestinationStream, type Logger as Pino, pino } from 'pino';
import type { LoggingConfig } from './logging.config.js';

/** Contexts of Nest that log every module and route at the start. They are logged at level debug. */
const VERBOSE = new Set([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';

let writtenAt = 0;
let written = '';

/** pino's `isoTime`, whose text is made once a millisecond. */
function timestamp(): string {
  const now = Date.now();
  if (now !== writtenAt) {
    writtenAt = now;
    written = `,"time":"${new Date(now).toISOString()}"`;
  }
  return written;
}

/** The logger of Nest and the service. Writes one line of JSON per message, with pino. */
export class Logger implements LoggerService {
  readonly lines: Pino;

  constructor({ logLevel }: Pick<LoggingConfig, 'logLevel'>, destination: DestinationStream) {
    const options = {
      level: logLevel,
      base: null, // log collectors add host and process
      timestamp,
      formatters: { level: (level: string) => ({ level }) },
    };
    this.lines = pino(options, destination);
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.write(VERBOSE.has(String(rest.at(-1))) ? 'debug' : 'info', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  /** Nest passes the context last, and the stack of an error before it. A caller may pass the error itself, and values. */
  private write(level: Level, message: unknown, rest: unknown[]): void {
    const [context, stack] = rest.filter((value) => typeof value === 'string').reverse();
    const error = [message, ...rest].find((value) => isNativeError(value));
    const values = rest.filter((value) => !['string', 'undefined'].includes(typeof value) && value !== error);
    const line = {
      ...(context && { context }),
      ...((stack ?? error) && { stack: stack ?? error?.stack }),
      ...(values.length > 0 && { values }),
    };
    if (isNativeError(message)) this.lines[level](line, message.message);
    else if (typeof message === 'string') this.lines[level](line, message);
    else this.lines[level]({ ...line, ...Object(message) });
  }
}
