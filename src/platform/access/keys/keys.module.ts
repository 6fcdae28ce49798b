import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKey } from './api-key.entity.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';
import { KeyHistoryEntry } from './key-history.entity.js';
import { AuditActor, KeyHistory } from './key-history.js';

/** API keys: their rows, their history, and what administers them. */
@Module({
  imports: [TypeOrmModule.forFeature([ApiKey, KeyHistoryEntry])],
  providers: [
    { provide: AuditActor, useFactory: () => AuditActor.service() },
    KeyHistory,
    ApiKeysService,
    ApiKeysRepository,
  ],
  exports: [ApiKeysService, ApiKeysRepository],
})
export class KeysModule {}
