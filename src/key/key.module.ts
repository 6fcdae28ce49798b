import { Module } from '@nestjs/common';
import { KeyController } from './key.controller.js';

/** Lets the holder of a key see and rotate it over HTTP. Administration is a task of the command line. */
@Module({ controllers: [KeyController] })
export class KeyModule {}
