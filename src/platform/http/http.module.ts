// http/ turns HTTP into calls of handlers and back, whoever sends it. Of keys it knows their header; no
// quotas, no tables.

import { Global, Module } from '@nestjs/common';
import { settingsProvider } from '../config/config.js';
import { HttpConfig } from './http.config.js';
import { PublicUrl } from './public-url.js';

/** Global: the interceptor of `@Deprecated()`, in any feature, is given the address. */
@Global()
@Module({ providers: [settingsProvider(HttpConfig), PublicUrl], exports: [HttpConfig, PublicUrl] })
export class HttpModule {}
