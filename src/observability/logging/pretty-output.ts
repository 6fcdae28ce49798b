import type { PrettyOptions } from 'pino-pretty';
import type { LogDestination } from './logger.js';
import type { RequestLine } from './request-log.js';

type Line = Record<string, unknown> & Partial<RequestLine> & { readonly context?: string };

type Colors = Parameters<Extract<PrettyOptions['messageFormat'], (...args: never[]) => unknown>>[3]['colors'];

/** For a terminal: short lines, written at once. */
export async function prettyOutput(): Promise<LogDestination> {
  const { default: pretty } = await import('pino-pretty'); // loaded only here
  const stream = pretty({
    sync: true,
    translateTime: 'SYS:HH:MM:ss',
    ignore: Object.keys(REQUEST_LINE).join(',').concat(',context'),
    messageFormat: (line: Line, messageKey, _, { colors }) =>
      ofRequest(line, colors) ?? ofService(line, String(line[messageKey])),
  });
  return Object.assign(stream, { showsPaths: true });
}

/** Every property of a request's line; those that the sentence lacks are in the JSON only. */
const REQUEST_LINE: Record<keyof RequestLine, true> = {
  requestId: true,
  method: true,
  route: true,
  path: true,
  status: true,
  durationMs: true,
  keyId: true,
  plan: true,
  address: true,
  traceId: true,
  aborted: true,
};

export function ofRequest(
  { method, route, path, status, durationMs, keyId, plan, aborted }: Line,
  colors: Pick<Colors, 'green' | 'cyan' | 'yellow' | 'red'>,
): string | undefined {
  if (method === undefined) return undefined;
  const who = keyId === undefined ? 'no key' : `key ${String(keyId)}, ${String(plan)}`;
  const color = [colors.green, colors.cyan, colors.yellow, colors.red][Math.floor(Number(status) / 100) - 2];
  const shown = color ? color(String(status)) : String(status);
  return `${method} ${path ?? String(route)} ${shown} in ${String(durationMs)} ms, ${who}${aborted ? ', client gone' : ''}`;
}

const ofService = ({ context, requestId }: Line, message: string): string =>
  [context && `[${context}]`, requestId, message].filter(Boolean).join(' ');
