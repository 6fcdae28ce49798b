import { Module, type Provider } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { ApiKey } from './api-key.entity.js';
import { ApiKeyResolver } from './api-key-resolver.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';
import { KeyChangesListener } from './key-changes.listener.js';
import { KeyHistoryEntry } from './key-history.entity.js';
import { ApiKeyGuard } from './api-key.guard.js';
import { BearerGuard } from './bearer.guard.js';
import { ScopeGuard } from './scope.guard.js';
import { AuditActor, KeyHistory } from './key-history.js';
import { LastUsedRecorder } from './last-used-recorder.js';

/** Plain classes: the command line creates them without Nest, to start faster (`commands/with-keys.ts`). */
const plainProviders: Provider[] = [
  { provide: AuditActor, useFactory: () => new AuditActor('the service') },
  {
    provide: KeyHistory,
    inject: [DataSource, AuditActor],
    useFactory: (dataSource: DataSource, actor: AuditActor) => new KeyHistory(dataSource, actor),
  },
  {
    provide: ApiKeysService,
    inject: [DataSource, KeyHistory],
    useFactory: (dataSource: DataSource, history: KeyHistory) => new ApiKeysService(dataSource, history),
  },
];

/** Not global: Nest shuts down global modules last, but the final writes of this one need the database. */
@Module({
  imports: [TypeOrmModule.forFeature([ApiKey, KeyHistoryEntry])],
  providers: [...plainProviders, ApiKeysRepository, LastUsedRecorder],
  exports: [ApiKeysService, ApiKeysRepository, LastUsedRecorder],
})
class KeysModule {}

/** Identifies clients by their keys, and requires keys and scopes. */
@Module({
  imports: [KeysModule, DiscoveryModule],
  providers: [ApiKeyResolver, KeyChangesListener, BearerGuard, ApiKeyGuard, ScopeGuard],
  exports: [KeysModule, BearerGuard, ApiKeyGuard, ScopeGuard],
})
export class AuthModule {}
