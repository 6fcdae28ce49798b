import { loadAll, YAML11_SCHEMA } from 'js-yaml';
import { readdirSync, readFileSync } from 'node:fs';

const at = (path: string) => new URL(`../../${path}`, import.meta.url);

export const readText = (path: string): string => readFileSync(at(path), 'utf8');

export const filesIn = (folder: string): string[] => readdirSync(at(`${folder}/`)).sort();

/** The files of a folder and of those in it, relative to it. */
export const allFilesIn = (folder: string): string[] =>
  readdirSync(at(`${folder}/`), { recursive: true, encoding: 'utf8' }).sort();

/** The documents of a YAML file, with `<<` merged as Docker Compose does. */
export const readYaml = <T = unknown>(path: string): T[] =>
  loadAll(readText(path), { schema: YAML11_SCHEMA }) as T[];

/** `UPDATE_RULES=true npm test -- monitoring` writes the rules for the Prometheus operator anew. */
export const UPDATING_RULES = process.env.UPDATE_RULES === 'true';
