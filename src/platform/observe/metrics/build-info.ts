import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { service } from '../../kernel/config/service.js';
import type { Metrics } from './metrics.js';

/**
 * Labels that identify the process. Alert rules use them, so that they do not depend on the name of the
 * scrape job.
 */
@Injectable()
export class BuildInfo implements OnApplicationBootstrap {
  private labels: Readonly<Record<string, string>>;

  constructor(
    private readonly metrics: Metrics,
    readonly component: 'service' | 'worker',
  ) {
    this.labels = { version: service().version, component };
  }

  /** Adds labels of a feature, before the application starts. */
  add(labels: Readonly<Record<string, string>>): void {
    this.labels = { ...this.labels, ...labels };
  }

  onApplicationBootstrap(): void {
    new Gauge({
      name: `${service().prefix}_build_info`,
      help: 'Always 1. Labels: version, component, and whether the process delivers webhooks.',
      labelNames: Object.keys(this.labels),
      registers: [this.metrics.registry],
    }).set(this.labels, 1);
  }
}
