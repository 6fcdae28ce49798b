import type { Request } from 'express';

/** A browser's question before a cross-origin call, which never brings a key (Fetch standard, section 3.3.5). */
export function isPreflight({ method, headers }: Pick<Request, 'method' | 'headers'>): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  );
}
