import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { HttpModule } from '../http/http.module.js';
import { DocumentController, IndexController } from './document/document.controller.js';
import { OpenApiDocument } from './document/openapi-document.js';
import type { DomainError } from '../errors/domain-error.js';
import { ErrorCatalog, PLATFORM_ERRORS } from './error-catalog/error-catalog.js';

/** The OpenAPI document and the error catalogue. */
@Module({})
export class OpenApiModule {
  static with(errors: readonly DomainError[]): DynamicModule {
    return {
      module: OpenApiModule,
      imports: [DiscoveryModule, HttpModule],
      controllers: [IndexController, DocumentController],
      providers: [OpenApiDocument, { provide: PLATFORM_ERRORS, useValue: errors }, ErrorCatalog],
    };
  }
}
