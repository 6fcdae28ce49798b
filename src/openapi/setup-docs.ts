import type { NestExpressApplication } from '@nestjs/platform-express';
import { SwaggerModule } from '@nestjs/swagger';
import { buildDocument } from './build-document.js';
import { hideTryItPanel } from './swagger-ui/hide-try-it.plugin.js';

/** Serves the Swagger UI at `/docs` and the document at `/openapi.json` and `/openapi.yaml`. */
export function setupDocs(app: NestExpressApplication): void {
  // Made on the first request for it: only then is it known where the service listens.
  SwaggerModule.setup('docs', app, () => buildDocument(app), {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    customSiteTitle: 'Pet Store',
    swaggerOptions: {
      persistAuthorization: true,
      displayRequestDuration: true,
      plugins: [hideTryItPanel],
    },
  });
}
