import type { NestExpressApplication } from '@nestjs/platform-express';
import { SwaggerModule } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import { fileURLToPath } from 'node:url';
import { HttpConfig } from '../../http/http.config.js';
import { pathOf } from '../../http/public-url.js';
import { SERVICE } from '../../config/service.js';
import { OpenApiDocument } from '../document/openapi-document.js';
import { petstorePlugin } from './plugin.js';
import { uiDocument } from './ui-document.js';

/** Serves the Swagger UI at `/docs`, outside of the request pipeline: it needs no key. */
export function setupSwaggerUi(app: NestExpressApplication): void {
  const { publicUrl, stagingPublicUrl } = app.get(HttpConfig);
  const publicPath = pathOf(publicUrl);
  const openApi = app.get(OpenApiDocument);
  openApi.describe(app);
  app.use('/docs', securityHeaders(stagingPublicUrl));
  SwaggerModule.setup('docs', app, () => uiDocument(openApi.document, publicPath), {
    raw: false, // DocumentController serves the document
    customSiteTitle: SERVICE.title,
    customCssUrl: `${publicPath}/docs/theme.css`,
    swaggerOptions: {
      layout: 'BaseLayout', // without the top bar
      persistAuthorization: true,
      displayRequestDuration: true,
      defaultModelsExpandDepth: -1,
      validatorUrl: 'none', // it would send the document to another host
      plugins: [petstorePlugin],
    },
  });
  app.useStaticAssets(fileURLToPath(new URL('browser/', import.meta.url)), { prefix: '/docs' });
}

/** The page may run its own scripts and call this service and its staging environment. Swagger UI needs inline styles. */
function securityHeaders(stagingPublicUrl: string | undefined) {
  const staging = stagingPublicUrl === undefined ? '' : ` ${new URL(stagingPublicUrl).origin}`;
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src 'self'${staging}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return (_request: Request, response: Response, next: NextFunction): void => {
    response.set({
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    });
    next();
  };
}
