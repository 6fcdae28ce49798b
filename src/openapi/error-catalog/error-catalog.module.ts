import { type DynamicModule, Module } from '@nestjs/common';
import type { CatalogEntry } from './catalog.js';
import { ErrorCatalogController } from './error-catalog.controller.js';
import { CATALOG_ENTRIES, ErrorCatalog } from './error-catalog.service.js';

@Module({})
export class ErrorCatalogModule {
  static with(entries: readonly CatalogEntry[]): DynamicModule {
    return {
      module: ErrorCatalogModule,
      global: true, // the document has the catalogue too
      controllers: [ErrorCatalogController],
      providers: [{ provide: CATALOG_ENTRIES, useValue: entries }, ErrorCatalog],
      exports: [ErrorCatalog],
    };
  }
}
