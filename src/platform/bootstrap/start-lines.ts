import { pino } from 'pino';
import { Logger } from '../logging/logger.js';

/** Prints the lines of start and stop, whatever `LOG_LEVEL` is. */
export class StartLines {
  private static log: Logger | undefined;

  /** From now on they have the form of the log: JSON, unless a person reads it on a terminal. */
  static useFormOfLog(): void {
    if (process.stdout.isTTY) return;
    this.log = new Logger({ logLevel: 'info' }, pino.destination({ sync: true }));
  }

  /** @param text may begin and end with empty lines, which JSON omits */
  static print(text: string): void {
    if (this.log) this.log.log(text.trim(), 'Start');
    else process.stdout.write(`${text}\n`);
  }
}
