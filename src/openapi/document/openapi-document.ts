import { type INestApplication, Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { dump } from 'js-yaml';
import { StaticContent } from '../static/static-content.js';
import { buildDocument } from './build-document.js';

/** The OpenAPI document of the application. It is built on the first request and cached. */
@Injectable()
export class OpenApiDocument {
  readonly json = new StaticContent('application/json', () => JSON.stringify(this.document));
  /** The media type is registered by RFC 9512. */
  readonly yaml = new StaticContent('application/yaml', () =>
    dump(this.document, { skipInvalid: true, noRefs: true }),
  );
  private app?: INestApplication;
  private built?: OpenAPIObject;

  /** Sets the application. The document is built later, because the address is known only once the application listens. */
  describe(app: INestApplication): void {
    this.app = app;
  }

  get document(): OpenAPIObject {
    if (!this.app) throw new Error('describe() has not been called.');
    return (this.built ??= buildDocument(this.app));
  }
}
