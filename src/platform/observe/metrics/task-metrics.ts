import { Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import { seconds } from '../../kernel/clock/duration.js';
import { taskOutcomes } from '../../kernel/clock/periodic-tasks.js';
import { service } from '../../kernel/config/service.js';
import { Metrics } from './metrics.js';

/** How the background tasks of this process do. */
@Injectable()
export class TaskMetrics {
  constructor({ registry }: Metrics) {
    new Counter({
      name: `${service().prefix}_task_failures_total`,
      help: 'Runs of a background task of this process that failed.',
      labelNames: ['task'],
      registers: [registry],
      collect() {
        this.reset();
        for (const { name, failed } of taskOutcomes()) this.inc({ task: name }, failed);
      },
    });
    new Gauge({
      name: `${service().prefix}_task_failing_seconds`,
      help: 'From the first to the last failure of a background task since it succeeded, or 0.',
      labelNames: ['task'],
      registers: [registry],
      collect() {
        this.reset();
        const longest = new Map<string, number>();
        for (const { name, failingFor } of taskOutcomes())
          longest.set(name, Math.max(failingFor, longest.get(name) ?? 0));
        for (const [task, failingFor] of longest) this.set({ task }, failingFor / seconds(1));
      },
    });
  }
}
