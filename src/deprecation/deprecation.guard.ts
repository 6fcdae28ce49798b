import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { Clock } from '../kernel/clock/clock.js';
import { PublicUrl } from '../http/public-url.js';
import { DEPRECATION } from '../openapi/decorators/operation-marks.js';
import type { Deprecation } from './deprecated.decorator.js';
import { EndpointRemoved } from './deprecation.errors.js';

const DOCUMENTATION = '/docs';

interface Notice {
  /** Unix milliseconds. */
  readonly end: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Announces the end of a deprecated operation on each answer, and ends it when its day has come. */
@Injectable()
export class DeprecationGuard implements CanActivate {
  private readonly notices = new WeakMap<Deprecation, Notice>();

  constructor(
    private readonly reflector: Reflector,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const deprecation = this.reflector.get<Deprecation>(DEPRECATION, context.getHandler());
    let notice = this.notices.get(deprecation);
    if (!notice) this.notices.set(deprecation, (notice = this.noticeOf(deprecation)));
    const response = context.switchToHttp().getResponse<Response>();
    for (const [name, value] of notice.headers) response.setHeader(name, value);
    if (this.clock.now() >= notice.end) throw new EndpointRemoved(deprecation);
    return true;
  }

  private noticeOf({ since, sunset, successor }: Deprecation): Notice {
    const { base } = this.publicUrl;
    const end = new Date(sunset);
    return {
      end: end.getTime(),
      headers: [
        ['Deprecation', `@${Date.parse(since) / 1000}`],
        ['Sunset', end.toUTCString()],
        [
          'Link',
          `<${base}${successor}>; rel="successor-version", <${base}${DOCUMENTATION}>; rel="deprecation"; type="text/html"`,
        ],
      ],
    };
  }
}
