import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Config } from '../../../kernel/config/config.js';
import { DatabaseConfig } from '../../../data/database/database.config.js';
import { HttpConfig } from '../../../http/core/http.config.js';
import { pathOf } from '../../../http/core/public-url.js';
import { CACHE, FixedContent, sendFixed } from '../document/fixed-content.js';
import { OpenApiDocument } from '../document/openapi-document.js';
import { uiPage, uiScript } from './page.js';
import { uiDocument } from './ui-document.js';

const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

/** Serves the Swagger UI of the described document at `/docs`, outside of the pipeline: it needs no key. */
export function setupSwaggerUi(app: NestExpressApplication): void {
  const { publicUrl, stagingPublicUrl } = app.get(HttpConfig);
  const { databaseUrl } = app.get(Config).read(DatabaseConfig);
  const openApi = app.get(OpenApiDocument);
  const files = new UiFiles(() =>
    uiScript(uiDocument(openApi.document, pathOf(publicUrl), databaseUrl === undefined)),
  );
  app.use('/docs', securityHeaders(stagingPublicUrl));
  // Routes, so that other methods of these paths are 405. One each, so that the log and the metrics have its
  // name.
  for (const path of files.paths) app.getHttpAdapter().getInstance().get(path, files.send);
}

/** The page and the files that it needs, made when they are asked for first. */
class UiFiles {
  private readonly known = new Map<string, FixedContent>();
  private readonly make: Readonly<Record<string, () => FixedContent>>;

  constructor(script: () => string) {
    const packed = (name: string, type: string) => () => new FixedContent(type, packagedFile(name));
    const page = (folder: string) => () =>
      new FixedContent(
        'text/html; charset=utf-8',
        uiPage((name) => `${folder}${name}?v=${this.file(name)?.version ?? ''}`),
      );
    this.make = {
      '': page(`docs/`), // an address without a slash at its end
      '/': page(''),
      'swagger-ui.css': packed('swagger-ui.css', CSS),
      'swagger-ui-bundle.js': packed('swagger-ui-bundle.js', SCRIPT),
      'favicon-32x32.png': packed('favicon-32x32.png', 'image/png'),
      'theme.css': () => new FixedContent(CSS, readFileSync(new URL('browser/theme.css', import.meta.url))),
      'swagger-ui-init.js': () => new FixedContent(SCRIPT, script()),
    };
  }

  get paths(): string[] {
    return Object.keys(this.make).map((name) =>
      name === '' || name === '/' ? `/docs${name}` : `/docs/${name}`,
    );
  }

  readonly send = (request: Request, response: Response, next: NextFunction): void => {
    const content = this.file(fileName(request));
    if (!content) {
      next(); // such as a file with a slash at its end
      return;
    }
    const isVersioned = request.query.v === content.version;
    sendFixed(response, content, isVersioned ? CACHE.forGood : CACHE.revalidate).catch(next);
  };

  private file(name: string): FixedContent | undefined {
    const known = this.known.get(name);
    if (known || !Object.hasOwn(this.make, name)) return known;
    const made = this.make[name]?.();
    if (made) this.known.set(name, made);
    return made;
  }
}

/** What follows `/docs/`, or `/` if nothing does, or nothing. */
const fileName = ({ path }: Request): string =>
  path === '/docs' ? '' : path === '/docs/' ? '/' : path.slice('/docs/'.length);

const { resolve } = createRequire(import.meta.url);
const packagedFile = (name: string): Buffer => readFileSync(resolve(`swagger-ui-dist/${name}`));

/**
 * The page may run its own scripts and call this service and its staging environment. Swagger UI needs inline
 * styles.
 */
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
