import { ConsoleLogger, type LogLevel } from '@nestjs/common';
import type { Config } from '../config/config.js';

/** Nest's levels, most important first, under the names that operators know. */
const LEVELS: readonly [Config['logLevel'], LogLevel][] = [
  ['fatal', 'fatal'],
  ['error', 'error'],
  ['warn', 'warn'],
  ['info', 'log'],
  ['debug', 'debug'],
  ['trace', 'verbose'],
];

/** Parts of Nest that tell of each module and route at start: for debugging only. */
const TALKATIVE = new Set([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);

/** Lines for people on a terminal, JSON for programs anywhere else. */
export class Logger extends ConsoleLogger {
  constructor({ logLevel }: Pick<Config, 'logLevel'>) {
    const upTo = LEVELS.findIndex(([name]) => name === logLevel);
    super({ logLevels: LEVELS.slice(0, upTo + 1).map(([, level]) => level), json: !process.stdout.isTTY });
  }

  override log(message: unknown, ...rest: unknown[]): void {
    if (TALKATIVE.has(String(rest.at(-1)))) super.debug(message, ...rest);
    else super.log(message, ...rest);
  }
}
