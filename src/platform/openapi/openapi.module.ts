import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { HttpModule } from '../http/http.module.js';
import { DocumentController, IndexController } from './document/document.controller.js';
import { OpenApiDocument } from './document/openapi-document.js';
import { ErrorCatalog } from './error-catalog/error-catalog.js';

/** The OpenAPI document and the error catalogue. */
@Module({
  imports: [DiscoveryModule, HttpModule],
  controllers: [IndexController, DocumentController],
  providers: [OpenApiDocument, ErrorCatalog],
})
export class OpenApiModule {}
