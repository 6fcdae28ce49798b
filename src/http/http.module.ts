import { Global, Module } from '@nestjs/common';
import { settingsProvider } from '../kernel/config/config.js';
import { HttpConfig } from './http.config.js';
import { PublicUrl } from './public-url.js';

@Global()
@Module({ providers: [settingsProvider(HttpConfig), PublicUrl], exports: [HttpConfig, PublicUrl] })
export class HttpModule {}
