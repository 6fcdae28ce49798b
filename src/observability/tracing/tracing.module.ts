import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ObservabilityConfig } from '../observability.config.js';
import { startTracing, type Tracing } from './tracing.js';

export const TRACING = Symbol('tracing');

@Module({
  providers: [
    {
      provide: TRACING,
      inject: [ObservabilityConfig],
      useFactory: ({ tracing }: ObservabilityConfig) => (tracing ? startTracing() : null),
    },
  ],
  exports: [TRACING],
})
export class TracingModule implements OnApplicationShutdown {
  constructor(@Inject(TRACING) private readonly tracing: Tracing | null) {}

  async onApplicationShutdown(): Promise<void> {
    await this.tracing?.close();
  }
}
