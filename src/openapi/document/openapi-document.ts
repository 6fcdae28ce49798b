import { type INestApplication, Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { dump } from 'js-yaml';
import { StaticContent } from '../../http/static-content.js';
import { buildDocument } from './build-document.js';

/** The document of the whole application. It is built for the first request that asks for it, and then kept. */
@Injectable()
export class OpenApiDocument {
  private app?: INestApplication;
  private built?: OpenAPIObject;
  private asJson?: StaticContent;
  private asYaml?: StaticContent;

  /** Tells which application it is about; not before it listens is its address known. */
  describe(app: INestApplication): void {
    this.app = app;
  }

  get json(): StaticContent {
    return (this.asJson ??= new StaticContent('application/json', JSON.stringify(this.document)));
  }

  /** RFC 9512 registers the media type. */
  get yaml(): StaticContent {
    const text = () => dump(this.document, { skipInvalid: true, noRefs: true });
    return (this.asYaml ??= new StaticContent('application/yaml', text()));
  }

  private get document(): OpenAPIObject {
    if (!this.app) throw new Error('describe() has not been called.');
    return (this.built ??= buildDocument(this.app));
  }
}
