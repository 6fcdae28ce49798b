import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Registry } from 'prom-client';

/** Milliseconds between two samples of the lag of the event loop. The default of 10 costs an idle process 0.4 % of a core. */
const LAG_INTERVAL = 50;

/** The registry, to which each folder adds its metrics. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: LAG_INTERVAL });
    // Gauges of the library that are named like counters: `promtool check metrics` refuses them.
    for (const kind of ['handles', 'requests', 'resources']) {
      this.registry.removeSingleMetric(`nodejs_active_${kind}_total`);
    }
  }
}
