import { Module } from '@nestjs/common';
import { SwaggerUiController } from './swagger-ui.controller.js';

@Module({ controllers: [SwaggerUiController] })
export class SwaggerUiModule {}
