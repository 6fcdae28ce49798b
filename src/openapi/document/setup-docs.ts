import type { NestExpressApplication } from '@nestjs/platform-express';
import { SwaggerModule } from '@nestjs/swagger';
import { Config } from '../../kernel/config/config.js';
import { buildDocument } from './build-document.js';
import { hideTryItPanel } from '../swagger-ui/hide-try-it.plugin.js';
import { marks } from '../swagger-ui/marks.plugin.js';
import { ownAddress } from '../swagger-ui/own-address.plugin.js';
import { page } from '../swagger-ui/page.plugin.js';
import { securityHeaders } from '../swagger-ui/security-headers.js';
import { THEME } from '../swagger-ui/theme.js';

/** Serves the Swagger UI at `/docs` and the document at `/openapi.json` and `/openapi.yaml`. */
export function setupDocs(app: NestExpressApplication): void {
  const { stagingPublicUrl } = app.get(Config);
  app.use('/docs', securityHeaders(stagingPublicUrl ? [new URL(stagingPublicUrl).origin] : []));
  // Made on the first request for it: only then is it known where the service listens.
  SwaggerModule.setup('docs', app, () => buildDocument(app), {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    customSiteTitle: 'Pet Store',
    customCss: THEME,
    swaggerOptions: {
      layout: 'BaseLayout', // without the top bar
      validatorUrl: 'none', // it would send the document to another host
      persistAuthorization: true,
      displayRequestDuration: true,
      plugins: [hideTryItPanel, marks, ownAddress, page],
    },
  });
}
