import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Response } from 'express';
import type { Observable } from 'rxjs';
import { PublicUrl } from '../http/public-url.js';
import { Clock } from '../kernel/clock/clock.js';
import { memoize } from '../kernel/caching.js';
import { type Deprecation, deprecationOf } from './deprecation.js';
import { EndpointRemoved } from './deprecation.errors.js';

const ANYWHERE = { strict: false };

interface Notice {
  /** Unix milliseconds. */
  readonly sunset: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/**
 * Adds the deprecation headers to every response of a deprecated operation, and responds with 410 from the sunset on.
 */
@Injectable()
export class DeprecationInterceptor implements NestInterceptor<unknown, unknown> {
  private readonly notice = memoize((deprecation: Deprecation) => this.noticeOf(deprecation));

  /** What it needs is looked up with a request, so that a unit test of a controller need not provide it. */
  constructor(private readonly modules: ModuleRef) {}

  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    this.announce(context);
    return next.handle();
  }

  /** @throws EndpointRemoved from the sunset on */
  private announce(context: ExecutionContext): void {
    const deprecation = deprecationOf(context.getHandler());
    if (!deprecation) return;
    const response = context.switchToHttp().getResponse<Response>();
    const notice = this.notice(deprecation);
    for (const [name, value] of notice.headers) response.setHeader(name, value);
    if (this.modules.get(Clock, ANYWHERE).now() >= notice.sunset) throw new EndpointRemoved(deprecation);
  }

  private noticeOf({ since, sunset, successor, documentation = '/docs' }: Deprecation): Notice {
    const { base } = this.modules.get(PublicUrl, ANYWHERE);
    const end = new Date(sunset);
    return {
      sunset: end.getTime(),
      headers: [
        ['Deprecation', `@${Date.parse(since) / 1000}`],
        ['Sunset', end.toUTCString()],
        [
          'Link',
          `<${base}${successor}>; rel="successor-version", <${base}${documentation}>; rel="deprecation"; type="text/html"`,
        ],
      ],
    };
  }
}
