import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKey } from './api-key.entity.js';
import { ApiKeysService } from './api-keys.service.js';
import { CallerDirectory } from './caller-directory.js';
import { KeyChangesListener } from './key-changes.listener.js';

@Global()
@Module({
  imports: [TypeOrmModule.forFeature([ApiKey])],
  providers: [ApiKeysService, CallerDirectory, KeyChangesListener],
  exports: [ApiKeysService, CallerDirectory],
})
export class AuthModule {}
