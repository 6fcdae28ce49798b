import { type INestApplication, Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { dump } from 'js-yaml';
import { StaticContent } from '../../http/static/static-content.js';
import { buildDocument } from './build-document.js';

/** The OpenAPI document of the application. It is built on the first request and cached. */
@Injectable()
export class OpenApiDocument {
  private app?: INestApplication;
  private built?: OpenAPIObject;
  private asJson?: StaticContent;
  private asYaml?: StaticContent;

  /** Sets the application. The document is built later, because the address is known only once the application listens. */
  describe(app: INestApplication): void {
    this.app = app;
  }

  get json(): StaticContent {
    return (this.asJson ??= new StaticContent('application/json', JSON.stringify(this.document)));
  }

  /** The media type is registered by RFC 9512. */
  get yaml(): StaticContent {
    const text = () => dump(this.document, { skipInvalid: true, noRefs: true });
    return (this.asYaml ??= new StaticContent('application/yaml', text()));
  }

  get document(): OpenAPIObject {
    if (!this.app) throw new Error('describe() has not been called.');
    return (this.built ??= buildDocument(this.app));
  }
}
