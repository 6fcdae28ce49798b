import type { DestinationStream } from 'pino';
import type { PrettyOptions } from 'pino-pretty';
import { bufferedOutput } from './buffered-output.js';
import type { RequestLine } from './request-log.js';

type Line = Record<string, unknown> &
  Partial<RequestLine> & { readonly context?: string; readonly stack?: string };

type Colors = Parameters<Extract<PrettyOptions['messageFormat'], (...args: never[]) => unknown>>[3]['colors'];

/** The destination of log lines: readable text on a terminal, otherwise JSON. */
export function standardOutput(): DestinationStream | Promise<DestinationStream> {
  return process.stdout.isTTY ? prettyOutput() : bufferedOutput();
}

/** Properties that are in the text of a request already, or only in JSON. */
const IGNORED =
  'context,requestId,stack,method,route,status,durationMs,keyId,plan,address,traceId,code,reason,aborted';

/** Short lines for a terminal, written immediately. */
async function prettyOutput(): Promise<DestinationStream> {
  const { default: pretty } = await import('pino-pretty'); // loaded only here
  return pretty({
    sync: true,
    translateTime: 'SYS:HH:MM:ss',
    ignore: IGNORED,
    messageFormat: (line: Line, messageKey, _, { colors }) =>
      ofRequest(line, colors) ?? ofService(line, String(line[messageKey])),
  });
}

export function ofRequest(
  { method, route, status, durationMs, keyId, plan, code, reason, aborted }: Line,
  colors: Pick<Colors, 'green' | 'cyan' | 'yellow' | 'red'>,
): string | undefined {
  if (method === undefined) return undefined;
  const who = keyId === undefined ? 'no key' : `key ${String(keyId)}, ${String(plan)}`;
  const color = [colors.green, colors.cyan, colors.yellow, colors.red][Math.floor(Number(status) / 100) - 2];
  const shown = color ? color(String(status)) : String(status);
  const why = reason ?? code;
  return `${method} ${String(route)} ${shown} in ${String(durationMs)} ms, ${who}${aborted ? ', client gone' : ''}${why ? `: ${why}` : ''}`;
}

export const ofService = ({ context, requestId, stack }: Line, message: string): string =>
  [context && `[${context}]`, requestId, message].filter(Boolean).join(' ') + (stack ? `\n${stack}` : '');
