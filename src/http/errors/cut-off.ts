import type { IncomingMessage } from 'node:http';

const cutOff = new WeakSet<IncomingMessage>();

/** Notes that a request turned out not to be HTTP in its middle, and has its response for that. */
export function noteCutOff(request: IncomingMessage): void {
  cutOff.add(request);
}

export const isCutOff = (request: IncomingMessage): boolean => cutOff.has(request);
