// own-key/ lets a client see and rotate its own key, and see its usage. What keys are is in `keys`.

import { Module } from '@nestjs/common';
import { checkPlans } from '../keys/plans.check.js';
import type { Command } from 'commander';
import { AuthModule } from '../auth/auth.module.js';
import type { CommandDatabase } from '../../data/database/command-database.js';
import { addKeysCommand } from '../keys/commands/keys.command.js';
import { addPlansCommand } from '../keys/commands/plans.command.js';
import { RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { KeyController } from './key.controller.js';
import { KeyService } from './key.service.js';
import { RateLimitController } from './rate-limit.controller.js';
import { addUsageCommand } from './usage.command.js';
import { UsageController } from './usage.controller.js';

/** What the holder of a key sees and does over HTTP: the key, its rotation, its usage and its limits. */
@Module({
  imports: [AuthModule, RateLimitModule],
  controllers: [KeyController, UsageController, RateLimitController],
  providers: [KeyService],
})
export class OwnKeyModule {
  static readonly scopes = ['key:rotate'] as const;
  static readonly checks = [checkPlans];
  static readonly commands = [
    (program: Command, database: CommandDatabase) => {
      addUsageCommand(addKeysCommand(program, database), database);
      addPlansCommand(program);
    },
  ];
}
