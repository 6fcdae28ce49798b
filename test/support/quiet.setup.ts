import { Logger } from '@nestjs/common';
import '../../src/service.js'; // names the service, and its plans

/** Hides the service's log, which would clutter the output of tests. Suites that read the log enable it. */
export default function quiet(): void {
  Logger.overrideLogger(false);
}
