// core/ turns HTTP into calls of handlers and back, whoever sends it. It reads the header
// of a key, and knows nothing of keys, quotas or tables.

import { Global, Module } from '@nestjs/common';
import { settingsProvider } from '../../kernel/config/config.js';
import { HttpConfig } from './http.config.js';
import { PublicUrl } from './public-url.js';

/** Global: the interceptor of `@Deprecated()`, in any feature, is given the address. */
@Global()
@Module({ providers: [settingsProvider(HttpConfig), PublicUrl], exports: [HttpConfig, PublicUrl] })
export class HttpModule {}
