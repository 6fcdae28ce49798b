import { Module } from '@nestjs/common';
import { DocumentController } from './document.controller.js';
import { IndexController } from './index.controller.js';
import { OpenApiDocument } from './openapi-document.js';

@Module({ controllers: [IndexController, DocumentController], providers: [OpenApiDocument] })
export class DocumentModule {}
