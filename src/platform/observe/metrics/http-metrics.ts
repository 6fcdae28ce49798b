import { Injectable } from '@nestjs/common';
import { Histogram } from 'prom-client';
import type { ObservedResponse } from '../../http/core/middleware/response-observer.js';
import { Metrics } from './metrics.js';

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]; // seconds

/** RFC 9110 and RFC 5789. Other methods share one series, because clients can send any word. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Counts and times requests by method, route and status. */
@Injectable()
export class HttpMetrics {
  private readonly durations: Histogram<'method' | 'route' | 'status'>;

  constructor({ registry }: Metrics) {
    this.durations = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from the head of a request to the last byte of its response. The route is its pattern, or none.',
      labelNames: ['method', 'route', 'status'],
      buckets: BUCKETS,
      registers: [registry],
    });
  }

  readonly record = ({ request, route, status, duration }: ObservedResponse): void => {
    const method = METHODS.has(request.method) ? request.method : 'other';
    this.durations.observe({ method, route, status }, duration / 1000);
  };
}
