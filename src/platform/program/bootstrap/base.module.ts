import { type DynamicModule, Module } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { TimeLimits } from '../../kernel/clock/time-limits.js';
import { Config } from '../../kernel/config/config.js';

/** Configuration and time, for every module. */
@Module({ providers: [Clock, TimeLimits], exports: [Clock, TimeLimits] })
export class BaseModule {
  static with(config: Config): DynamicModule {
    return {
      module: BaseModule,
      global: true,
      providers: [{ provide: Config, useValue: config }],
      exports: [Config],
    };
  }
}
