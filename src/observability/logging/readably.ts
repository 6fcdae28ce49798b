import type { DestinationStream } from 'pino';
import type { RequestLine } from './request-log.js';

type Line = Record<string, unknown> & Partial<RequestLine> & { readonly context?: string };

/** For a terminal: short lines, written at once. */
export async function readably(): Promise<DestinationStream> {
  const { default: pretty } = await import('pino-pretty'); // loaded only here
  return pretty({
    sync: true,
    translateTime: 'SYS:HH:MM:ss',
    ignore: Object.keys(REQUEST_LINE).join(',').concat(',context'),
    messageFormat: (line: Line, messageKey) => ofRequest(line) ?? ofService(line, String(line[messageKey])),
  });
}

/** Every property of a request's line; those that the sentence lacks are in the JSON only. */
const REQUEST_LINE: Record<keyof RequestLine, true> = {
  requestId: true,
  method: true,
  route: true,
  status: true,
  durationMs: true,
  keyId: true,
  plan: true,
  address: true,
  traceId: true,
  aborted: true,
};

function ofRequest({ method, route, status, durationMs, keyId, plan, aborted }: Line): string | undefined {
  if (method === undefined) return undefined;
  const who = keyId === undefined ? 'no key' : `key ${String(keyId)}, ${String(plan)}`;
  return `${method} ${String(route)} ${String(status)} in ${String(durationMs)} ms, ${who}${aborted ? ', client gone' : ''}`;
}

const ofService = ({ context, requestId }: Line, message: string): string =>
  [context && `[${context}]`, requestId, message].filter(Boolean).join(' ');
