import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import type { Observable } from 'rxjs';
import { Clock } from '../clock/clock.js';
import { PublicUrl } from '../http/public-url.js';
import { DEPRECATION } from '../openapi/operation-marks.js';
import type { Deprecation } from './deprecated.decorator.js';
import { EndpointRemoved } from './deprecation.errors.js';

const DOCUMENTATION = '/docs';

/** Announces the end of a deprecated operation on each answer, and ends it when its day has come. */
@Injectable()
export class DeprecationInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const deprecation = this.reflector.get<Deprecation>(DEPRECATION, context.getHandler());
    const sunset = new Date(deprecation.sunset);
    const response = context.switchToHttp().getResponse<Response>();
    response.setHeader('Deprecation', `@${Date.parse(deprecation.since) / 1000}`);
    response.setHeader('Sunset', sunset.toUTCString());
    response.setHeader('Link', this.links(deprecation));
    if (this.clock.now() >= sunset.getTime()) throw new EndpointRemoved(deprecation);
    return next.handle();
  }

  private links({ successor }: Deprecation): string {
    const { base } = this.publicUrl;
    return `<${base}${successor}>; rel="successor-version", <${base}${DOCUMENTATION}>; rel="deprecation"; type="text/html"`;
  }
}
