import { Module } from '@nestjs/common';
import { AuthModule } from './auth.module.js';
import { addKeysCommand } from './commands/keys.command.js';
import { addPlansCommand } from './commands/plans.command.js';
import { KeyController } from './key.controller.js';
import { KeyService } from './key.service.js';

/** Lets the holder of a key see and rotate it over HTTP. The commands administer keys. */
@Module({ imports: [AuthModule], controllers: [KeyController], providers: [KeyService] })
export class KeyModule {
  static readonly scopes = ['key:rotate'] as const;
  static readonly commands = [addKeysCommand, addPlansCommand];
}
