import { Module } from '@nestjs/common';
import { KeyController } from './key.controller.js';

/** Lets the holder of a key see and rotate it over HTTP. The CLI administers keys. */
@Module({ controllers: [KeyController] })
export class KeyModule {}
