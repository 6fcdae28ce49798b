import { Controller, Get, Injectable, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { ServerResponse } from 'node:http';
import { Public } from '../../http/core/public.decorator.js';
import { Clock } from '../../kernel/clock/clock.js';
import { seconds } from '../../kernel/clock/duration.js';
import { Metrics } from './metrics.js';

/** The text is created at most once in this time, because scrapes are public and not rate-limited. */
const CACHE_TIME = seconds(1);

/** All metrics in the text format of Prometheus. */
@Injectable()
export class Scrape {
  private text?: Promise<Buffer>;
  private madeAt = -Infinity;

  constructor(
    private readonly metrics: Metrics,
    private readonly clock: Clock,
  ) {}

  async send(response: ServerResponse): Promise<void> {
    const text = await this.read();
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('Content-Type', this.metrics.registry.contentType);
    response.setHeader('Content-Length', text.length);
    response.end(text);
  }

  private read(): Promise<Buffer> {
    const now = this.clock.elapsed();
    if (this.text && now - this.madeAt < CACHE_TIME) return this.text;
    this.madeAt = now;
    this.text = this.make();
    return this.text;
  }

  private async make(): Promise<Buffer> {
    try {
      return Buffer.from(await this.metrics.registry.metrics());
    } catch (error) {
      this.text = undefined; // the next scrape tries again
      throw error;
    }
  }
}

@Public()
@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  constructor(private readonly scrape: Scrape) {}

  @Get()
  metrics(@Res() response: ServerResponse): Promise<void> {
    return this.scrape.send(response);
  }
}
