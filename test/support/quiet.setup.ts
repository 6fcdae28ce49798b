import { Logger } from '@nestjs/common';

/** What the service logs is in the way between the names of tests. A suite that reads the log says so itself. */
export default function quiet(): void {
  Logger.overrideLogger(false);
}
