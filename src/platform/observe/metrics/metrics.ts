// metrics/ exposes what Prometheus reads. Each folder counts what is its own.

import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Registry } from 'prom-client';

/**
 * Milliseconds between two looks at the event loop, which its lag includes. At 10 they take half of what an
 * idle process takes.
 */
const LAG_PRECISION = 50;

/** The registry, to which each folder adds its metrics. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: LAG_PRECISION });
    // Gauges with names of counters, which `promtool check metrics` rejects.
    for (const kind of ['handles', 'requests', 'resources']) {
      this.registry.removeSingleMetric(`nodejs_active_${kind}_total`);
    }
  }
}
