import type { Operation, OperationId } from './operations.js';
import { links } from './response-info.js';

/** What to tell the developer whose program calls a deprecated operation. Undefined for any other operation. */
export function deprecationWarning(
  id: OperationId,
  { method, path }: Operation,
  headers: Headers,
): string | undefined {
  const deprecation = headers.get('Deprecation');
  if (deprecation === null) return undefined;
  const since = day(Number(deprecation.replace('@', '')) * 1_000); // `@` and Unix seconds (RFC 9745)
  const until = day(Date.parse(headers.get('Sunset') ?? ''));
  const successor = links(headers).get('successor-version');
  return [
    `petstore-client: ${id} (${method} ${path}) is deprecated${since && ` since ${since}`}`,
    until && `, and will be removed on ${until}`,
    successor ? `. Its successor is ${successor}` : '',
    '.',
  ].join('');
}

function day(time: number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 10);
}
