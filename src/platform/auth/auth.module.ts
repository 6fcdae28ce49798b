import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKey } from './api-key.entity.js';
import { ApiKeyResolver } from './api-key-resolver.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';
import { KeyChangesListener } from './key-changes.listener.js';
import { KeyHistoryEntry } from './key-history.entity.js';
import { AccessGuard } from './access.guard.js';
import { BearerGuard } from './bearer.guard.js';
import { AuditActor, KeyHistory } from './key-history.js';
import { LastUsedRecorder } from './last-used-recorder.js';

/** Not global: Nest shuts down global modules last, but the final writes of this one need the database. */
@Module({
  imports: [TypeOrmModule.forFeature([ApiKey, KeyHistoryEntry])],
  providers: [
    { provide: AuditActor, useFactory: () => AuditActor.service() },
    KeyHistory,
    ApiKeysService,
    ApiKeysRepository,
    LastUsedRecorder,
  ],
  exports: [ApiKeysService, ApiKeysRepository, LastUsedRecorder],
})
class KeysModule {}

/** Identifies clients by their keys, and requires keys and scopes. */
@Module({
  imports: [KeysModule, DiscoveryModule],
  providers: [ApiKeyResolver, KeyChangesListener, BearerGuard, AccessGuard],
  exports: [KeysModule, BearerGuard, AccessGuard],
})
export class AuthModule {}
