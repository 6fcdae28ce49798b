import { Module } from '@nestjs/common';
import { NoRouteController } from './no-route.controller.js';

@Module({ controllers: [NoRouteController] })
export class NoRouteModule {}
