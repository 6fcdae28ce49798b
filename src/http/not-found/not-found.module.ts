import { Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { notFoundOutside } from './not-found-outside.js';
import { NotFoundController } from './not-found.controller.js';

/** Nest adds the imports of imported modules, and their routes, after `AppModule.with()` has listed its own. */
@Module({ controllers: [NotFoundController] })
class CatchAllModule {}

@Module({ imports: [CatchAllModule] })
export class NotFoundModule implements OnModuleInit {
  constructor(private readonly adapters: HttpAdapterHost) {}

  /** Every route is there by now. */
  onModuleInit(): void {
    this.adapters.httpAdapter.use(notFoundOutside);
  }
}
