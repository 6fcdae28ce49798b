import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../../http/route/public.decorator.js';
import { Scrape } from './scrape.js';

@Public()
@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  constructor(private readonly scrape: Scrape) {}

  @Get()
  metrics(@Res() response: Response): Promise<void> {
    return this.scrape.send(response);
  }
}
