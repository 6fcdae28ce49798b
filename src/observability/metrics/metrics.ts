import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { hours } from '../../kernel/clock/duration.js';
import { measureEventLoopDelay } from './event-loop-delay.js';

/** Milliseconds between two samples of `prom-client` for gauges that ./event-loop-delay.ts replaces. */
const NEVER = hours(24);

/** The registry, to which each folder adds its metrics. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: NEVER });
    measureEventLoopDelay(this.registry);
    // Gauges of the library that are named like counters: `promtool check metrics` refuses them.
    for (const kind of ['handles', 'requests', 'resources']) {
      this.registry.removeSingleMetric(`nodejs_active_${kind}_total`);
    }
  }
}
