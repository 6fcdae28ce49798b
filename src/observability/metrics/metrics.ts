import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Registry } from 'prom-client';

/** The registry of everything that an operator watches. Each folder adds its own metrics to it. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    // The library's own sums, named like counters, which they are not: `promtool check metrics` refuses them.
    for (const kind of ['handles', 'requests', 'resources']) {
      this.registry.removeSingleMetric(`nodejs_active_${kind}_total`);
    }
  }
}
