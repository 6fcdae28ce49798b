import { hash } from 'node:crypto';
import { numberText } from '../kernel/json/number-texts.js';

/**
 * Identifies equal requests: the SHA-256 of method, URL and value of the body, in hexadecimal. White space and the order
 * of properties make no difference. The form of a number does: 1 and 1.0 differ.
 */
export function fingerprint(method: string, url: string, body: unknown): string {
  return hash('sha256', `${method} ${url}\n${canonical(body)}`);
}

function canonical(value: unknown, holder?: object, name = ''): string {
  if (typeof value === 'number') return numberText(holder, name) ?? String(value);
  if (value === undefined) return ''; // no body
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = Object.entries(value).map(([key, item]) => [key, canonical(item, value, key)] as const);
  if (Array.isArray(value)) return `[${inner.map(([, text]) => text).join()}]`;
  const properties = inner.map(([key, text]) => `${JSON.stringify(key)}:${text}`);
  return `{${properties.sort().join()}}`;
}
