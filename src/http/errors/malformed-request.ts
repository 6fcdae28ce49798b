import type { IncomingMessage } from 'node:http';

const malformed = new WeakSet<IncomingMessage>();

/** Marks a request whose body stopped being HTTP. The server has responded to it, before its handler. */
export function markMalformed(request: IncomingMessage): void {
  malformed.add(request);
}

export const isMalformed = (request: IncomingMessage): boolean => malformed.has(request);
