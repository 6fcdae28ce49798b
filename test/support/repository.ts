import { loadAll, YAML11_SCHEMA } from 'js-yaml';
import { readdirSync, readFileSync } from 'node:fs';

const at = (path: string) => new URL(`../../${path}`, import.meta.url);

export const readText = (path: string): string => readFileSync(at(path), 'utf8');

export const filesIn = (folder: string): string[] => readdirSync(at(`${folder}/`)).sort();

/** The files of a folder and its subfolders, as relative paths. */
export const allFilesIn = (folder: string): string[] =>
  readdirSync(at(`${folder}/`), { recursive: true, encoding: 'utf8' }).sort();

/** All pages that are written in Markdown, but those of packages. */
export const markdownPages = (folder = '.'): string[] =>
  readdirSync(at(`${folder}/`), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory())
      return /^(node_modules|dist|\.git|\.venv|\.petstore)$/.test(entry.name) ? [] : markdownPages(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });

/** The documents of a YAML file, with `<<` merged and `!reset` accepted like in Docker Compose. */
export const readYaml = <T = unknown>(path: string): T[] =>
  loadAll(readText(path).replaceAll(': !reset ', ': '), { schema: YAML11_SCHEMA }) as T[];

/** `UPDATE_RULES=true npm test -- monitoring` rewrites the rules for the Prometheus operator. */
export const UPDATING_RULES = process.env.UPDATE_RULES === 'true';
