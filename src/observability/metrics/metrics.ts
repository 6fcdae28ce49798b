import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { hours } from '../../kernel/clock/duration.js';
import { measureEventLoopDelay } from './event-loop-delay.js';

/** Milliseconds between two samples of `prom-client` for gauges that ./event-loop-delay.ts replaces. */
const NEVER = hours(24);
const REPLACED = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'];

/** The registry, to which each folder adds its metrics. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: NEVER });
    for (const name of REPLACED) this.registry.removeSingleMetric(`nodejs_eventloop_lag_${name}_seconds`);
    measureEventLoopDelay(this.registry);
    // Gauges of the library that are named like counters: `promtool check metrics` refuses them.
    for (const kind of ['handles', 'requests', 'resources']) {
      this.registry.removeSingleMetric(`nodejs_active_${kind}_total`);
    }
  }
}
