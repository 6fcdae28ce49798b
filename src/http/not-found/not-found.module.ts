import { Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { notFoundOutside } from './not-found-outside.js';
import { NotFoundController } from './not-found.controller.js';

@Module({ controllers: [NotFoundController] })
export class NotFoundModule implements OnModuleInit {
  constructor(private readonly adapters: HttpAdapterHost) {}

  /** Every route is there by now. */
  onModuleInit(): void {
    this.adapters.httpAdapter.use(notFoundOutside);
  }
}
