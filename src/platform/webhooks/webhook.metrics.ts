import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram } from 'prom-client';
import { SERVICE } from '../config/service.js';
import { ATTEMPT_ERRORS } from './delivery/webhook-sender.js';
import { Metrics } from '../metrics/metrics.js';

/** Metrics of this process's deliveries. The number of series does not grow with the number of webhooks. */
@Injectable()
export class WebhookMetrics {
  private readonly attempts: Counter<'outcome'>;
  private readonly deliveries: Counter<'outcome'>;
  private readonly duration: Histogram;
  private readonly age: Gauge;

  constructor({ registry }: Metrics) {
    this.attempts = new Counter({
      name: `${SERVICE.prefix}_webhook_attempts_total`,
      help: 'Attempts of this process to deliver an event, by result.',
      labelNames: ['outcome'],
      registers: [registry],
    });
    this.deliveries = new Counter({
      name: `${SERVICE.prefix}_webhook_deliveries_total`,
      help: 'Deliveries that this process has completed: delivered, or failed after the last attempt.',
      labelNames: ['outcome'],
      registers: [registry],
    });
    this.duration = new Histogram({
      name: `${SERVICE.prefix}_webhook_attempt_duration_seconds`,
      help: 'How long an endpoint took to respond, or to fail.',
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10],
      registers: [registry],
    });
    this.age = new Gauge({
      name: `${SERVICE.prefix}_webhook_backlog_seconds`,
      help: 'How late the oldest due delivery is. Endpoints that fail are left out.',
      registers: [registry],
    });
    for (const outcome of ['success', ...ATTEMPT_ERRORS]) this.attempts.inc({ outcome }, 0);
    for (const outcome of ['delivered', 'failed']) this.deliveries.inc({ outcome }, 0);
  }

  /** @param outcome `success`, or why the attempt failed @param milliseconds its duration */
  attempted(outcome: string, milliseconds: number): void {
    this.attempts.inc({ outcome });
    this.duration.observe(milliseconds / 1000);
  }

  ended(outcome: 'delivered' | 'failed'): void {
    this.deliveries.inc({ outcome });
  }

  backlog(seconds: number): void {
    this.age.set(seconds);
  }
}
