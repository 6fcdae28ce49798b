import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { ApiKey } from './api-key.entity.js';
import { ApiKeysService } from './api-keys.service.js';
import { AuditActor } from './audit-actor.js';
import { ApiKeyResolver } from './api-key-resolver.js';
import { KeyChangesListener } from './key-changes.listener.js';
import { KeyHistoryEntry } from './key-history.entity.js';
import { KeyHistory } from './key-history.js';
import { LastUsedRecorder } from './last-used-recorder.js';

/** Not global: Nest ends global modules last, and what is to be written at the end needs one of them, the database. */
@Module({
  imports: [TypeOrmModule.forFeature([ApiKey, KeyHistoryEntry])],
  providers: [
    LastUsedRecorder,
    // The command line makes these without Nest (commands/key-services.ts), which it would take longer to load.
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
  ],
  exports: [ApiKeysService, LastUsedRecorder],
})
class KeysModule {}

@Global()
@Module({
  imports: [KeysModule],
  providers: [ApiKeyResolver, KeyChangesListener],
  exports: [KeysModule, ApiKeyResolver],
})
export class AuthModule {}
