// logging/ writes the log, and never delays the service for it. What is worth a line is decided where it
// happens.

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

  constructor({ logLevel, logAddresses }: LoggingConfig, destination: DestinationStream) {
    const options = {
      level: logLevel,
      base: null, // log collectors add host and process
      timestamp,
      formatters: { level: (level: string) => ({ level }) },
      ...(!logAddresses && { redact: { paths: ['address'], remove: true } }),
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

  /**
   * As with Nest's own logger, the last text is the context. A caller may pass an error or its stack, and
   * further values.
   */
  private write(level: Level, message: unknown, rest: unknown[]): void {
    const given = rest.filter((value) => value !== undefined);
    const contextAt = given.findLastIndex((value) => typeof value === 'string' && !isStack(value));
    const [context] = contextAt < 0 ? [] : given.splice(contextAt, 1);
    const stack = given.find(isStack);
    const error = [message, ...given].find((value) => isNativeError(value));
    const values = given
      .filter((value) => value !== stack && value !== error)
      .map((value) => withErrors(value));
    const line = {
      ...(context && { context }),
      ...((stack ?? error) && { stack: stack ?? error?.stack }),
      ...(values.length > 0 && { values }),
    };
    if (isNativeError(message)) this.lines[level](line, message.message);
    else if (typeof message === 'string') this.lines[level](line, message);
    else this.lines[level]({ ...line, ...Object(withErrors(message)) });
  }
}

/** Whether it is the stack of an error. */
const isStack = (value: unknown): value is string =>
  typeof value === 'string' && /\n {4}at .+:\d+:\d+/.test(value);

/** How deep errors are looked for. */
const DEPTH = 3;

/**
 * A value whose errors can be written: JSON shows nothing of them. Their own properties stay out, such as the
 * parameters of a query.
 */
function withErrors(value: unknown, depth = DEPTH): unknown {
  if (isNativeError(value)) return { name: value.name, message: value.message, stack: value.stack };
  if (depth === 0) return value;
  const inside = (one: unknown) => withErrors(one, depth - 1);
  if (Array.isArray(value)) return value.map(inside);
  return isPlainObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inside(one)]))
    : value;
}

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
