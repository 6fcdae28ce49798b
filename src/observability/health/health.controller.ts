import { Controller, Get, Header, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import type { HealthCheckResult } from '@nestjs/terminus';
import { Public } from '../../http/route/public.decorator.js';
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

  @Get('ready')
  @Header('Cache-Control', 'no-store')
  async ready(@Res({ passthrough: true }) response: Response): Promise<object> {
    const { status, retryAfter, body } = readinessResponse(await this.readiness.check());
    if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
    response.status(status);
    return body;
  }
}

interface ReadinessResponse {
  readonly status: 200 | 503;
  /** Seconds, with a 503. */
  readonly retryAfter?: number;
  readonly body: object;
}

/**
 * If ready, the body is the one of `@nestjs/terminus`. Otherwise it is an Error, with the results of the checks in `info` and
 * `error`.
 */
function readinessResponse(result: HealthCheckResult): ReadinessResponse {
  if (result.status === 'ok' || result.status === 'degraded') return { status: 200, body: result };
  const { info, error } = result;
  const { code } = new ServiceUnavailable();
  return {
    status: 503,
    retryAfter: 1,
    body: { code, message: `Not ready: ${reasons(result).join(', ')}.`, status: 503, info, error },
  };
}

function reasons({ status, error = {} }: HealthCheckResult): string[] {
  return status === 'shutting_down' ? ['the service is stopping'] : Object.keys(error);
}
