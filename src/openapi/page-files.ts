import { readFileSync } from 'node:fs';
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

/** The files of a page, by name. */
export function pageFiles(paths: readonly (string | URL)[]): Map<string, StaticContent> {
  const names = paths.map((path) => (path instanceof URL ? fileURLToPath(path) : path));
  return new Map(
    names.map((path) => [basename(path), new StaticContent(TYPES[extname(path)] ?? '', read(path))]),
  );
}

/** A page for the address without a slash at its end, from where its relative links lead elsewhere. */
export function pageBeside(page: URL, folder: string): StaticContent {
  const html = titled(readFileSync(page, 'utf8'));
  return new StaticContent(HTML, html.replaceAll('"../', '"').replaceAll('"./', `"${folder}/`));
}

const read = (path: string): string | Buffer =>
  path.endsWith('.html') ? titled(readFileSync(path, 'utf8')) : readFileSync(path);

const titled = (html: string): string => html.replace('Pet Store', SERVICE.title);
