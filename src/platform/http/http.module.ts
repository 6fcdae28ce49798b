// http/ turns HTTP into calls of handlers and back, whoever sends it. No keys, quotas or tables.

import { Global, Module } from '@nestjs/common';
import { settingsProvider } from '../config/config.js';
import { HttpConfig } from './http.config.js';
import { PublicUrl } from './public-url.js';

/** For each feature: `@Deprecated()` needs the address. */
@Global()
@Module({ providers: [settingsProvider(HttpConfig), PublicUrl], exports: [HttpConfig, PublicUrl] })
export class HttpModule {}
