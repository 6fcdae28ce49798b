import { Logger } from '@nestjs/common';

/** Hides the service's log, which would clutter the output of tests. Suites that read the log enable it. */
export default function quiet(): void {
  Logger.overrideLogger(false);
}
