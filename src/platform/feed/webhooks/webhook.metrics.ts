import { Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import { service } from '../../kernel/config/service.js';
import { ATTEMPT_ERRORS } from './delivery/webhook-sender.js';
import { Metrics } from '../../observe/metrics/metrics.js';

/** Metrics of this process's deliveries. The number of series does not grow with the number of webhooks. */
@Injectable()
export class WebhookMetrics {
  private readonly attempts: Counter<'outcome'>;
  private readonly age: Gauge;

  constructor({ registry }: Metrics) {
    this.attempts = new Counter({
      name: `${service().prefix}_webhook_attempts_total`,
      help: 'Attempts of this process to deliver an event, by result.',
      labelNames: ['outcome'],
      registers: [registry],
    });
    this.age = new Gauge({
      name: `${service().prefix}_webhook_backlog_seconds`,
      help: 'How late the oldest due delivery is. Endpoints that fail or have asked for a pause are left out.',
      registers: [registry],
    });
    for (const outcome of ['success', ...ATTEMPT_ERRORS]) this.attempts.inc({ outcome }, 0);
  }

  /** @param outcome `success`, or why the attempt failed */
  attempted(outcome: string): void {
    this.attempts.inc({ outcome });
  }

  backlog(seconds: number): void {
    this.age.set(seconds);
  }
}
