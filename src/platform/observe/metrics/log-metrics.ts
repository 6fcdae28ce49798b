import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { service } from '../../kernel/config/service.js';
import { droppedLines } from '../logging/buffered-output.js';
import { Metrics } from './metrics.js';

/** What the log of this process lacks. */
@Injectable()
export class LogMetrics {
  constructor({ registry }: Metrics) {
    new Counter({
      name: `${service().prefix}_log_lines_dropped_total`,
      help: 'Lines of the log that were dropped, because standard output could not be written: a full disk or a reader that is frozen.',
      registers: [registry],
      collect() {
        this.reset();
        this.inc(droppedLines());
      },
    });
  }
}
