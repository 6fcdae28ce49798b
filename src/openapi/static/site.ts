import type { Request, Response } from 'express';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, extname } from 'node:path';
import { RouteNotFound } from '../../http/errors/route.errors.js';
import { SERVICE } from '../../kernel/service.js';
import { StaticContent } from './static-content.js';

const { resolve } = createRequire(import.meta.url);
export const HTML = 'text/html; charset=utf-8';
const TYPES: Readonly<Record<string, string>> = {
  '.html': HTML,
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.png': 'image/png',
};

interface SiteOptions {
  /** The folder of `index.html` and its own files. */
  readonly folder: URL;
  /** Specifiers of files in packages. */
  readonly library: readonly string[];
  /** Content that is not a file, by name. */
  readonly made?: Readonly<Record<string, StaticContent>>;
  /** Origins, other than its own, that the page may call. */
  readonly callable?: readonly string[];
  /** Whether the page may start workers from `blob:` URLs. */
  readonly workers?: boolean;
}

/** A page and the files that it loads. Nothing else of their folders is served. */
export class Site {
  private readonly contents: ReadonlyMap<string, StaticContent>;
  /** The page for the URL without a trailing slash, where relative links differ. */
  private readonly pageBeside: StaticContent;
  private readonly headers: Map<string, string>;

  /** @param name the last segment of its URL */
  constructor(name: string, options: SiteOptions) {
    const { folder, library, made = {} } = options;
    const index = () => titled(readFileSync(new URL('index.html', folder), 'utf8'));
    this.pageBeside = new StaticContent(HTML, () =>
      index().replaceAll('"../', '"').replaceAll('"./', `"${name}/`),
    );
    this.contents = new Map([
      ...readdirSync(folder).map((file) => fileOf(file, () => readFileSync(new URL(file, folder)))),
      ...library.map((file) => fileOf(basename(file), () => readFileSync(resolve(file)))),
      ['index.html', new StaticContent(HTML, index)],
      ...Object.entries(made),
    ]);
    this.headers = securityHeaders(options);
  }

  /** Sends a file or, without a name, the page. @throws RouteNotFound */
  async send(name: string | undefined, request: Request, response: Response): Promise<void> {
    const page = request.path.endsWith('/') ? this.contents.get('index.html') : this.pageBeside;
    const content = name === undefined ? page : this.contents.get(name);
    if (!content) throw new RouteNotFound(request.path);
    await content.send(request, response.setHeaders(this.headers));
  }
}

const fileOf = (name: string, read: () => Buffer): [string, StaticContent] => [
  name,
  new StaticContent(TYPES[extname(name)] ?? '', read),
];

const titled = (html: string): string => html.replace('Pet Store', SERVICE.title);

/**
 * The security headers of a documentation page. It may run its own scripts and call its own origin and the given ones. The
 * libraries need inline styles.
 */
function securityHeaders({ callable = [], workers = false }: SiteOptions): Map<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    ...(workers ? ['worker-src blob:'] : []),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src ${["'self'", ...callable].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return new Map([
    ['Content-Security-Policy', policy],
    ['X-Content-Type-Options', 'nosniff'],
    ['Referrer-Policy', 'no-referrer'],
  ]);
}
