import { Module } from '@nestjs/common';
import { DocumentController, IndexController } from './document.controller.js';
import { OpenApiDocument } from './openapi-document.js';

@Module({ controllers: [IndexController, DocumentController], providers: [OpenApiDocument] })
export class DocumentModule {}
