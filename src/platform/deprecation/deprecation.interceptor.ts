import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import type { Observable } from 'rxjs';
import { PublicUrl } from '../http/public-url.js';
import { Clock } from '../clock/clock.js';
import { type Deprecation, deprecationOf, EndpointRemoved } from './deprecation.js';

/**
 * Adds the deprecation headers to the responses of a deprecated operation, except those of the guards, and responds with
 * 410 from the sunset on.
 */
@Injectable()
export class DeprecationInterceptor implements NestInterceptor<unknown, unknown> {
  constructor(
    private readonly publicUrl: PublicUrl,
    private readonly clock: Clock,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const deprecation = deprecationOf(context.getHandler());
    if (deprecation) this.announce(deprecation, context.switchToHttp().getResponse<Response>());
    return next.handle();
  }

  /** @throws EndpointRemoved from the sunset on */
  private announce(deprecation: Deprecation, response: Response): void {
    const { since, successor, use, documentation = '/docs' } = deprecation;
    const { base } = this.publicUrl;
    const sunset = new Date(deprecation.sunset);
    response.setHeader('Deprecation', `@${Date.parse(since) / 1000}`);
    response.setHeader('Sunset', sunset.toUTCString());
    response.setHeader(
      'Link',
      `<${base}${successor}>; rel="successor-version"; title="${use}", <${base}${documentation}>; rel="deprecation"; type="text/html"`,
    );
    if (this.clock.now() >= sunset.getTime()) throw new EndpointRemoved(deprecation);
  }
}
