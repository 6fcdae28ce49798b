import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { Config } from '../../kernel/config/config.js';
import { ErrorResponse } from '../../kernel/errors/error.response.js';
import { PublicUrl } from '../../http/public-url.js';
import { completeDocument } from './complete-document.js';
import { DESCRIPTION } from './description.js';
import { SECURITY_SCHEME } from '../decorators/operation-marks.js';
import { BASE_PATH } from './relative-paths.js';

/** The OpenAPI 3.1 document, made from the controllers and DTOs. */
export function buildDocument(app: INestApplication): OpenAPIObject {
  const { base } = app.get(PublicUrl);
  const { stagingPublicUrl } = app.get(Config);
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Pet Store')
    .setVersion('1.0.0')
    .setDescription(DESCRIPTION)
    .setLicense('MIT', 'https://spdx.org/licenses/MIT.html')
    .addServer(`${base}${BASE_PATH}`, 'This service')
    .addBearerAuth(
      {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'petstore_…',
        description: 'Your API key: `petstore_` and 49 letters and digits.',
      },
      SECURITY_SCHEME,
    )
    .addSecurityRequirements(SECURITY_SCHEME);
  if (stagingPublicUrl) builder.addServer(`${stagingPublicUrl}${BASE_PATH}`, 'Staging');
  const document = SwaggerModule.createDocument(app, builder.build(), { extraModels: [ErrorResponse] });
  document.info.contact = { name: 'Pet Store', url: `${base}/docs` };
  return completeDocument(document, base);
}
