import { StartupError } from '../errors/startup.error.js';

/** Every variable that cannot be used, in one message. */
export class InvalidConfig extends StartupError {
  /** @param problems by variable, one line each */
  constructor(problems: ReadonlyMap<string, string>) {
    const lines = [...problems.values()];
    super(
      lines.length === 1
        ? lines.join()
        : [`${lines.length} variables cannot be used.`, ...lines].join('\n  '),
    );
  }
}
