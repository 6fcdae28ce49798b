import type { Response } from 'express';
import type { IncomingMessage } from 'node:http';
import { titleOf } from '../../kernel/words.js';
import type { ErrorBody } from './error-body.js';

export const PROBLEM_TYPE = 'application/problem+json';
const JSON_RANGES = ['application/json', 'application/*', '*/*'];

/** An Error with the members of RFC 9457, for clients whose `Accept` names `application/problem+json`. */
interface Problem extends ErrorBody {
  readonly type: string;
  readonly title: string;
  readonly detail: string;
  readonly instance?: string;
}

/** Whether the client accepts `application/problem+json` explicitly and does not prefer `application/json`. */
function prefersProblem(accept: string | undefined): boolean {
  if (!accept?.toLowerCase().includes(PROBLEM_TYPE)) return false;
  const qualities = qualitiesOf(accept);
  const problem = qualities.get(PROBLEM_TYPE) ?? 0;
  const json = JSON_RANGES.map((range) => qualities.get(range)).find((quality) => quality !== undefined);
  return problem > 0 && problem >= (json ?? 0);
}

/** Whether `Accept` names only `application/problem+json`, which no successful response has. */
export const acceptsProblemsOnly = (accept: string): boolean =>
  [...qualitiesOf(accept)].every(([range, quality]) => range === PROBLEM_TYPE && quality > 0);

function qualitiesOf(accept: string): Map<string, number> {
  const ranges = accept.split(',').filter((range) => range.trim() !== '');
  return new Map(
    ranges.map((range) => {
      const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const quality = parameters.find((parameter) => parameter.startsWith('q='));
      return [name, quality === undefined ? 1 : Number(quality.slice(2)) || 0] as const;
    }),
  );
}

/**
 * Converts an Error into a problem.
 * @param base address of the service; `type` is the URL of the code in the catalogue below it
 */
function problemOf(body: ErrorBody, base: string, { url = '' }: Pick<IncomingMessage, 'url'>): Problem {
  const [path = ''] = url.split('?', 1);
  return {
    type: `${base}/docs/errors#${body.code}`,
    title: titleOf(body.code),
    detail: body.message,
    ...(URI_PATH.test(path) && { instance: path }),
    ...body,
  };
}

/** A path that is a valid URI reference. Some clients send others. */
const URI_PATH = /^\/(?:[\w.~!$&'()*+,;=:@/-]|%[\da-f]{2})*$/i;

/** The body of an error response: a problem if the client prefers it. */
export function negotiateError(
  body: unknown,
  response: Response,
  status: number,
  base: () => string,
): unknown {
  const request = response.req;
  if (!prefersProblem(request.headers.accept) || !isErrorBody(body, status)) return body;
  response.setHeader('Content-Type', PROBLEM_TYPE);
  response.vary('Accept');
  return problemOf(body, base(), { url: request.originalUrl });
}

function isErrorBody(body: unknown, status: number): body is ErrorBody {
  if (typeof body !== 'object' || body === null) return false;
  const { code, message, status: own } = body as Partial<ErrorBody>;
  return typeof code === 'string' && typeof message === 'string' && own === status;
}
