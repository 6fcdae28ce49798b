import { type INestApplication, Logger, type Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { HttpConfig } from '../../http/http.config.js';
import { ErrorResponse, ProblemResponse } from './error.response.js';
import { PublicUrl } from '../../http/public-url.js';
import { completeDocument } from './complete-document.js';
import { ErrorCatalog } from '../error-catalog/error-catalog.service.js';
import { guides } from './guides.js';
import { SECURITY_SCHEME } from '../decorators/operation-marks.js';
import { BASE_PATH } from './paths.js';
import { Routes } from './routes.js';
import { webhookModels } from './webhooks.js';

/** The OpenAPI 3.1 document, made from the controllers and DTOs. */
export function buildDocument(app: INestApplication): OpenAPIObject {
  const { base } = app.get(PublicUrl);
  const { publicUrl, stagingPublicUrl } = app.get(HttpConfig);
  const environment =
    publicUrl === undefined ? 'Local' : base === stagingPublicUrl ? 'Staging' : 'Production';
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Pet Store')
    .setVersion('1.0.0')
    .setDescription(description(base))
    .setLicense('MIT', 'https://spdx.org/licenses/MIT.html')
    .addServer(`${base}${BASE_PATH}`, environment)
    .addBearerAuth(
      {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'petstore_…',
        description:
          'Your API key: `petstore_` and 49 letters and digits. An operator creates keys with `petstore keys create`. ' +
          'The first `npm start` of a clone prints demo keys and keeps them in `.petstore/demo-keys.json`.',
      },
      SECURITY_SCHEME,
    )
    .addSecurityRequirements(SECURITY_SCHEME);
  if (stagingPublicUrl !== undefined && stagingPublicUrl !== base)
    builder.addServer(`${stagingPublicUrl}${BASE_PATH}`, 'Staging');
  const routes = new Routes(app);
  const document = createDocument(app, builder.build());
  document.info.contact = { name: 'Pet Store', url: `${base}/reference` };
  return completeDocument(document, { routes, base, guides: guides(base, app.get(ErrorCatalog).entries) });
}

/** The introduction of the document. The guides are its tags. CommonMark. */
const description = (base: string): string =>
  `
The inventory of a pet store: list pets, add one, see what was ordered. Requests and responses are \`application/json\`.

[Reference with guides](${base}/reference) · [Errors](${base}/docs/errors) · [OpenAPI document](${base}/openapi.yaml)
`.trim();

type Base = Parameters<typeof SwaggerModule.createDocument>[1];

/** Omits a module that `@nestjs/swagger` cannot describe. */
function createDocument(app: INestApplication, base: Base): OpenAPIObject {
  const options = { extraModels: [ErrorResponse, ProblemResponse, ...webhookModels()] };
  try {
    return SwaggerModule.createDocument(app, base, options);
  } catch {
    const documents = modulesOf(app).flatMap((module) => {
      try {
        return [SwaggerModule.createDocument(app, base, { ...options, include: [module] })];
      } catch (error) {
        new Logger('OpenAPI').warn(`${module.name} is not in the document: ${String(error)}`);
        return [];
      }
    });
    return merge(documents);
  }
}

function modulesOf(app: INestApplication): Type[] {
  const modules = [...app.get(ModulesContainer).values()];
  return modules.filter(({ controllers }) => controllers.size > 0).map(({ metatype }) => metatype);
}

function merge([first, ...others]: readonly OpenAPIObject[]): OpenAPIObject {
  if (!first) throw new Error('There is no module to describe.');
  for (const { paths, components } of others) {
    for (const [path, item] of Object.entries(paths)) first.paths[path] = { ...first.paths[path], ...item };
    first.components = {
      ...first.components,
      schemas: { ...first.components?.schemas, ...components?.schemas },
    };
  }
  return first;
}
