// health/ says whether a process lives, and whether it is ready. It asks the database; modules add what else
// they need.

import { Controller, Get, Header, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { HealthCheckResult } from '@nestjs/terminus';
import { Public } from '../../http/core/public.decorator.js';
import { Readiness } from './readiness.js';
import { ServiceUnavailable } from '../../kernel/errors/common.errors.js';

@Public()
@ApiExcludeController()
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  /** The process is alive if it responds. */
  @Get('live')
  @Header('Cache-Control', 'no-store')
  live(): object {
    return { status: 'ok' };
  }

  /**
   * If ready, the body is the one of `@nestjs/terminus`. Otherwise it is an Error, with the results of the
   * checks.
   */
  @Get('ready')
  @Header('Cache-Control', 'no-store')
  async ready(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<object> {
    const result = await this.readiness.check();
    if (result.status === 'ok' || result.status === 'degraded') return result;
    const { info, error } = result;
    const { code } = new ServiceUnavailable();
    const message = notReady(result);
    if (result.status === 'error') request.reason = message; // not while it stops: see RequestLog
    response.status(503).setHeader('Retry-After', 1);
    return { code, message, status: 503, info, error };
  }
}

function notReady({ status, error = {} }: HealthCheckResult): string {
  const reasons = status === 'shutting_down' ? ['the service is stopping'] : Object.keys(error);
  return `Not ready: ${reasons.join(', ')}.`;
}
