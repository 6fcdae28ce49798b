import { Controller, Get, Header, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../../http/public.decorator.js';
import { readinessResponse } from './readiness-response.js';
import { Readiness } from './readiness.js';

@Public()
@ApiExcludeController()
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  /** A process that responds is alive. */
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
