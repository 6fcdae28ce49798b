import { type RawResponse, valuesOf } from './wire.js';

const RATE_LIMIT_HEADERS = {
  'X-RateLimit-Limit': /^\d+$/,
  'X-RateLimit-Remaining': /^\d+$/,
  'X-RateLimit-Reset': /^\d{10}$/,
  RateLimit: /^"minute";r=\d+;t=\d+(, "day";r=\d+;t=\d+)?$/,
  'RateLimit-Policy': /^"minute";q=\d+;w=60(, "day";q=\d+;w=86400)?$/,
};

/** Traces of internals: stack lines, SQL, files and packages. */
const INSIDES =
  /\n\s+at |\bSELECT\b|\bINSERT\b|relation "|node_modules|\.[jt]s\b|[\\/](src|dist|home|work|tmp)[\\/]/;

const matching = (form: RegExp): unknown => expect.stringMatching(form);

/** The headers of every response under `/v1`, whatever its status. */
export function expectPromisedHeaders(response: RawResponse): void {
  for (const [name, form] of Object.entries(RATE_LIMIT_HEADERS)) {
    expect({ name, values: valuesOf(response, name) }).toEqual({ name, values: [matching(form)] });
  }
  expect(valuesOf(response, 'X-Request-Id')).toHaveLength(1);
}

/** Expects exactly the properties of an Error, and no internals. */
export function expectErrorBody(response: RawResponse, status: number, code: string): void {
  expect({ status: response.status, body: response.body }).toMatchObject({ status });
  expect(valuesOf(response, 'Content-Type')).toEqual(['application/json']);
  const { details, ...body } = JSON.parse(response.body) as { details?: unknown };
  expect(body).toEqual({ code, message: matching(/\S/), status });
  if (details !== undefined) expectDetails(details);
  expect(response.body).not.toMatch(INSIDES);
}

/** RFC 6901. */
const POINTER = matching(/^(\/([^~/]|~[01])*)*$/);

function expectDetails(details: unknown): void {
  expect(Array.isArray(details)).toBe(true);
  for (const detail of details as unknown[]) {
    const { pointer, ...rest } = detail as { pointer?: unknown };
    const error = { code: matching(/^[a-z]+(_[a-z]+)*$/), field: matching(/^/), message: matching(/\S/) };
    expect(rest).toEqual({ in: matching(/^(body|query|path|header)$/), ...error });
    if (pointer !== undefined) expect({ ...rest, pointer }).toMatchObject({ in: 'body', pointer: POINTER });
  }
}

/** Expects an error under `/v1`, with everything promised for one. */
export function expectErrorResponse(response: RawResponse, status: number, code: string): void {
  expectErrorBody(response, status, code);
  expectPromisedHeaders(response);
}
