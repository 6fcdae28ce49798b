import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { settingsProvider } from '../../kernel/config/config.js';
import { TracingConfig } from './tracing.config.js';
import { startTracing, type Tracing } from './tracing.js';

export const TRACING = Symbol('tracing');

@Module({
  providers: [
    settingsProvider(TracingConfig),
    {
      provide: TRACING,
      inject: [TracingConfig],
      useFactory: ({ tracing }: TracingConfig) => (tracing ? startTracing() : null),
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
