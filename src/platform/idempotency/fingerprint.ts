import { hash } from 'node:crypto';

/**
 * Identifies equal requests by the SHA-256 of method, URL and body, in hexadecimal. JSON bodies are compared by value,
 * so white space and the order of properties make no difference. Other bodies are compared by their bytes.
 */
export function fingerprint(method: string, url: string, body: unknown): string {
  return hash('sha256', `${method} ${url}\n${canonical(body)}`);
}

function canonical(value: unknown): string {
  if (value === undefined) return ''; // no body
  if (value instanceof Uint8Array) return `bytes ${hash('sha256', value)}`;
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const properties = Object.entries(value).map(
    ([name, item]) => `${JSON.stringify(name)}:${canonical(item)}`,
  );
  return `{${properties.sort().join()}}`;
}
