import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { KeysModule } from '../keys/keys.module.js';
import { AccessGuard } from './access.guard.js';
import { ApiKeyResolver } from './api-key-resolver.js';
import { BearerGuard } from './bearer.guard.js';
import { KeyChangesListener } from './key-changes.listener.js';
import { LastUsedRecorder } from './last-used-recorder.js';

/**
 * Identifies clients by their keys, and requires keys and scopes. Not global: Nest shuts down global modules
 * last, but the final writes of this one need the database.
 */
@Module({
  imports: [KeysModule, DiscoveryModule],
  providers: [ApiKeyResolver, KeyChangesListener, LastUsedRecorder, BearerGuard, AccessGuard],
  exports: [KeysModule, BearerGuard, AccessGuard],
})
export class AuthModule {}
