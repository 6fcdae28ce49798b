import { Global, Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { MemoryEngine } from './memory.engine.js';
import { QuotaEngine } from './quota-engine.js';

@Global()
@Module({
  imports: [ThrottlerModule.forRoot({ throttlers: [] })],
  providers: [{ provide: QuotaEngine, useClass: MemoryEngine }],
  exports: [QuotaEngine, ThrottlerModule],
})
export class RateLimitModule {}
