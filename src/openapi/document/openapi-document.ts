import { type INestApplication, Injectable } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { dump } from 'js-yaml';
import { SERVICE } from '../../kernel/service.js';
import { HttpConfig } from '../../http/http.config.js';
import { ErrorResponse, ProblemResponse } from './error.response.js';
import { PublicUrl } from '../../http/public-url.js';
import { completeDocument } from './complete-document.js';
import { ErrorCatalog } from '../error-catalog/error-catalog.js';
import { guides } from './guides.js';
import { SECURITY_SCHEME } from '../decorators/operation-marks.js';
import { StaticContent } from '../static/static-content.js';
import { BASE_PATH } from './paths.js';
import { Routes } from './routes.js';
import { webhookModels } from './webhooks.js';

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

/** Builds the OpenAPI 3.1 document from the controllers and DTOs. */
function buildDocument(app: INestApplication): OpenAPIObject {
  const { base } = app.get(PublicUrl);
  const { publicUrl, stagingPublicUrl } = app.get(HttpConfig);
  const environment =
    publicUrl === undefined ? 'Local' : base === stagingPublicUrl ? 'Staging' : 'Production';
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(SERVICE.title)
    .setVersion('1.0.0')
    .setDescription(description(base))
    .setLicense('MIT', 'https://spdx.org/licenses/MIT.html')
    .addServer(`${base}${BASE_PATH}`, environment)
    .addBearerAuth(
      {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: `${SERVICE.prefix}_…`,
        description:
          `Your API key: \`${SERVICE.prefix}_\` and 49 letters and digits. ` +
          'An operator creates keys with `petstore keys create`. ' +
          'The first `npm start` of a clone prints demo keys and keeps them in `.petstore/demo-keys.json`.',
      },
      SECURITY_SCHEME,
    )
    .addSecurityRequirements(SECURITY_SCHEME);
  if (stagingPublicUrl !== undefined && stagingPublicUrl !== base)
    builder.addServer(`${stagingPublicUrl}${BASE_PATH}`, 'Staging');
  const routes = new Routes(app);
  const extraModels = [ErrorResponse, ProblemResponse, ...webhookModels()];
  const document = SwaggerModule.createDocument(app, builder.build(), { extraModels });
  document.info.contact = { name: SERVICE.title, url: `${base}/reference` };
  return completeDocument(document, { routes, base, guides: guides(base, app.get(ErrorCatalog).entries) });
}

/** The introduction of the document. The guides are its tags. CommonMark. */
const description = (base: string): string =>
  `
${SERVICE.description} Requests and responses are \`application/json\`.

[Swagger UI](${base}/docs) · [Reference](${base}/reference) · [Errors](${base}/docs/errors) · [OpenAPI document](${base}/openapi.yaml)
`.trim();
