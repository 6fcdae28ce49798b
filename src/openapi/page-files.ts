import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SERVICE } from '../kernel/service.js';
import { StaticContent } from '../http/static/static-content.js';

const HTML = 'text/html; charset=utf-8';
const TYPES: Readonly<Record<string, string>> = {
  '.html': HTML,
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.png': 'image/png',
};

/** The files of a folder and of a library, by name. */
export function pageFiles(folder: URL, library: readonly string[]): Map<string, StaticContent> {
  const own = readdirSync(folder).map((name) => fileURLToPath(new URL(name, folder)));
  return new Map(
    [...own, ...library].map((path) => [
      basename(path),
      new StaticContent(TYPES[extname(path)] ?? '', read(path)),
    ]),
  );
}

/** The page for the URL without a trailing slash, with its relative links adjusted. */
export function pageBeside(folder: URL, name: string): StaticContent {
  const html = titled(readFileSync(new URL('index.html', folder), 'utf8'));
  return new StaticContent(HTML, html.replaceAll('"../', '"').replaceAll('"./', `"${name}/`));
}

const read = (path: string): string | Buffer =>
  path.endsWith('.html') ? titled(readFileSync(path, 'utf8')) : readFileSync(path);

const titled = (html: string): string => html.replace('Pet Store', SERVICE.title);
