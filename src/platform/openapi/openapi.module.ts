// openapi/ makes the document, the catalogue of errors and their pages from the code. It changes no
// response.

import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { HttpModule } from '../http/http.module.js';
import { DocumentController, IndexController } from './document/document.controller.js';
import { PARAMETER_ORDER, type ParameterOrder } from './document/parameter-order.js';
import { OpenApiDocument, SECURITY_SCHEMES } from './document/openapi-document.js';
import type { SecuritySchemes } from './document/schemas.js';
import { ErrorCatalog } from './error-catalog/error-catalog.js';

/** The OpenAPI document and the error catalogue. */
@Module({
  imports: [DiscoveryModule, HttpModule],
  controllers: [IndexController, DocumentController],
  providers: [OpenApiDocument, ErrorCatalog],
})
export class OpenApiModule {
  /**
   * @param order in which the parameters of released operations stay
   * @param schemes of modules, beside the API key
   */
  static with(order: ParameterOrder, schemes: SecuritySchemes): DynamicModule {
    const providers = [
      { provide: PARAMETER_ORDER, useValue: order },
      { provide: SECURITY_SCHEMES, useValue: schemes },
    ];
    return { module: OpenApiModule, providers };
  }
}
