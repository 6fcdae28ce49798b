import { Module } from '@nestjs/common';
import { settingsProvider } from '../config/config.js';
import { HttpConfig } from './http.config.js';
import { PublicUrl } from './public-url.js';

@Module({ providers: [settingsProvider(HttpConfig), PublicUrl], exports: [HttpConfig, PublicUrl] })
export class HttpModule {}
