import { Logger } from '../../observe/logging/logger.js';
import { bufferedOutput } from '../../observe/logging/buffered-output.js';

/** Prints the lines of start and stop, whatever `LOG_LEVEL` is. */
export class StartLines {
  private static log: Logger | undefined;

  /** From now on they have the form of the log: JSON, unless a person reads it on a terminal. */
  static useFormOfLog(): void {
    if (process.stdout.isTTY) return;
    this.log = new Logger({ logLevel: 'info', logAddresses: true }, bufferedOutput());
  }

  /** Prints a warning. */
  static warn(sentence: string): void {
    if (this.log) this.log.warn(sentence, 'Start');
    else this.print(`Warning: ${sentence}`);
  }

  /** @param text may begin and end with empty lines, which JSON omits */
  static print(text: string): void {
    if (process.stdout.isTTY) {
      process.stdout.write(`${text}\n`);
      return;
    }
    if (this.log) this.log.log(text.trim(), 'Start');
    else bufferedOutput().write(`${text}\n`);
    bufferedOutput().flush(); // somebody waits for them
  }
}
