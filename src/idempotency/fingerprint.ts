import { hash } from 'node:crypto';
import { numberText } from '../kernel/json/number-texts.js';

/**
 * What makes two requests the same, as SHA-256 in hexadecimal: method, URL, and the value of the body. White space
 * and the order of members make no difference; how a number is written does, 1 and 1.0 are not the same.
 */
export function fingerprint(method: string, url: string, body: unknown): string {
  return hash('sha256', `${method} ${url}\n${canonical(body)}`);
}

function canonical(value: unknown, holder?: object, member = ''): string {
  if (typeof value === 'number') return numberText(holder, member) ?? String(value);
  if (value === undefined) return ''; // no body
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = Object.entries(value).map(([name, item]) => [name, canonical(item, value, name)] as const);
  if (Array.isArray(value)) return `[${inner.map(([, text]) => text).join()}]`;
  const members = inner.map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  return `{${members.sort().join()}}`;
}
