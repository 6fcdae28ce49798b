import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKey } from './api-key.entity.js';
import { ApiKeysService } from './api-keys.service.js';
import { CallerDirectory } from './caller-directory.js';
import { Author } from './author.js';
import { KeyChangesListener } from './key-changes.listener.js';
import { KeyHistory } from './key-history.js';
import { KeyHistoryEntry } from './key-history.entity.js';
import { LastUse } from './last-use.js';

@Global()
@Module({
  imports: [TypeOrmModule.forFeature([ApiKey, KeyHistoryEntry])],
  providers: [
    ApiKeysService,
    CallerDirectory,
    KeyChangesListener,
    KeyHistory,
    LastUse,
    { provide: Author, useFactory: () => new Author('the service') },
  ],
  exports: [ApiKeysService, CallerDirectory],
})
export class AuthModule {}
