import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { DocumentController, IndexController } from './document/document.controller.js';
import { OpenApiDocument } from './document/openapi-document.js';
import { CATALOG_ENTRIES, type CatalogEntry, ErrorCatalog } from './error-catalog/error-catalog.js';
import { PagesController } from './pages.controller.js';

/** The OpenAPI document and the pages that show it. */
@Module({})
export class OpenApiModule {
  static with(errors: readonly CatalogEntry[]): DynamicModule {
    return {
      module: OpenApiModule,
      imports: [DiscoveryModule],
      controllers: [IndexController, DocumentController, PagesController],
      providers: [OpenApiDocument, { provide: CATALOG_ENTRIES, useValue: errors }, ErrorCatalog],
    };
  }
}
