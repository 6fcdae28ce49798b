import { Module } from '@nestjs/common';
import { KeyController } from './key.controller.js';

/** What the holder of a key can see and do with it over HTTP. Administration is left to the command line. */
@Module({ controllers: [KeyController] })
export class KeyModule {}
