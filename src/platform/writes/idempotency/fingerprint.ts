import { hash } from 'node:crypto';
import { inexactNumbersIn } from '../../kernel/json/inexact-number.js';

/**
 * Identifies equal requests by the SHA-256 of method, target and body, in hexadecimal. JSON bodies are
 * compared by value: white space, the order of properties and the spelling of a number make no difference.
 * Other bodies are compared by their bytes.
 *
 * Stored responses have it, and replicas of two versions serve side by side, so what it is for a request in
 * plain spelling must not change.
 * @param target see `targetOf`
 */
export function fingerprint(method: string, target: string, body: unknown): string {
  return hash('sha256', `${method} ${target}\n${canonical(body)}`);
}

function canonical(value: unknown): string {
  if (value === undefined) return ''; // no body
  if (value instanceof Uint8Array) return `bytes ${hash('sha256', value)}`;
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const written = inexactNumbersIn(value);
  const memberOf = (name: string, item: unknown): string => {
    const number = written?.get(name);
    return number !== undefined && number.nearest === item ? number.exact : canonical(item);
  };
  if (Array.isArray(value)) return `[${value.map((item, i) => memberOf(String(i), item)).join()}]`;
  const properties = Object.entries(value).map(
    ([name, item]) => `${JSON.stringify(name)}:${memberOf(name, item)}`,
  );
  return `{${properties.sort().join()}}`;
}
