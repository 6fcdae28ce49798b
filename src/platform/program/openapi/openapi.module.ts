// openapi/ makes the document, the catalogue of errors and their pages from the code. It changes no
// response.

import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { HttpModule } from '../../http/core/http.module.js';
import { DocumentController, IndexController } from './document/document.controller.js';
import { PARAMETER_ORDER, type ParameterOrder } from './document/parameter-order.js';
import { DOCUMENT_ADDITIONS, type DocumentAdditions, OpenApiDocument } from './document/openapi-document.js';
import { ErrorCatalog } from './error-catalog/error-catalog.js';

/** The OpenAPI document and the error catalogue. */
@Module({
  imports: [DiscoveryModule, HttpModule],
  controllers: [IndexController, DocumentController],
  providers: [OpenApiDocument, ErrorCatalog],
})
export class OpenApiModule {
  /** @param order in which the parameters of released operations stay */
  static with(order: ParameterOrder, additions: DocumentAdditions): DynamicModule {
    const providers = [
      { provide: PARAMETER_ORDER, useValue: order },
      { provide: DOCUMENT_ADDITIONS, useValue: additions },
    ];
    return { module: OpenApiModule, providers };
  }
}
