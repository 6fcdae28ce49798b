import { randomUUID } from 'node:crypto';
import fc, { type Arbitrary } from 'fast-check';
import { SECURITY_SCHEME } from '../../../src/platform/http/core/operation-marks.js';
import { type Document, type Operation, type Parameter, resolve, type Schema } from './document.js';
import { brokenJson, brokenText, valid } from './values.js';

type Properties = Readonly<Record<string, string>>;

export interface Request {
  readonly what: string;
  readonly path: string;
  /** Lower case, as in the document. */
  readonly method: string;
  readonly parameters: Properties;
  /** The properties of the body, each as JSON text. */
  readonly properties: Properties;
  readonly hasBody: boolean;
  /** Appended to the query unchanged. */
  readonly more?: string;
  /** Sent instead of the properties. */
  readonly body?: string;
  readonly headers?: Properties;
  readonly key?: false;
  /** The accepted statuses. */
  readonly expected: readonly number[];
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
/** It ends the key that all other requests use. `test/platform/access/key.e2e-spec.ts` tests it. */
const ENDS_THE_KEY = '/key/rotate';
const FORM = 'application/x-www-form-urlencoded';

interface Requests {
  /** Requests that the document promises to accept. */
  readonly valid: Arbitrary<Request>[];
  /** The same requests, each with one error. */
  readonly broken: Arbitrary<Request>[];
}

/** Such as the token of a user, which only the tests of a module can make. */
const needsMoreThanKey = (requirement: object): boolean =>
  Object.keys(requirement).some((scheme) => scheme !== SECURITY_SCHEME);

export function requests(document: Document): Requests {
  // A path of another version has its own `servers` and is not under /v1.
  const paths = Object.entries(document.paths).filter(
    ([path, item]) => path !== ENDS_THE_KEY && !('servers' in item),
  );
  const each = paths.flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      if (operation.requestBody && !jsonBody(operation)) return []; // another media type, which is not generated
      if (operation.security?.some(needsMoreThanKey)) return [];
      const whole = validRequest(document, path, method, operation);
      const here = methodsOf(document, path);
      const others = METHODS.filter((other) => !here.has(other));
      return [{ whole, breaks: breaks(document, path, operation, others) }];
    }),
  );
  return {
    valid: each.map(({ whole }) => whole),
    broken: each.flatMap(({ whole, breaks }) =>
      breaks.map(({ change, ...rest }) =>
        whole.map((request) => ({ ...request, ...change(request), ...rest })),
      ),
    ),
  };
}

/** Also those of a path whose parameter the last segment could be: `GET /pets/batch` asks for a pet. */
function methodsOf(document: Document, path: string): Set<string> {
  const segments = path.split('/');
  const isSame = (other: string) => {
    const others = other.split('/');
    return (
      others.length === segments.length &&
      others.every((segment, i) => segment === segments[i] || segment.startsWith('{'))
    );
  };
  return new Set(
    Object.entries(document.paths).flatMap(([other, item]) => (isSame(other) ? Object.keys(item) : [])),
  );
}

function validRequest(document: Document, path: string, method: string, operation: Operation) {
  const expected = expectedOfValid(document, path, operation);
  return fc
    .record({
      parameters: parametersOf(document, operation),
      properties: propertiesOf(document, operation).filter(
        (properties) => method !== 'patch' || Object.keys(properties).length > 0,
      ),
      headers: headersOf(operation),
    })
    .map((made): Request => ({
      what: 'valid',
      path,
      method,
      ...made,
      hasBody: operation.requestBody !== undefined,
      expected,
    }));
}

function expectedOfValid(document: Document, path: string, operation: Operation): number[] {
  const success = Object.keys(operation.responses)
    .map(Number)
    .filter((status) => status < 300);
  const errors = [
    ...(path.includes('{') || operation.responses['404'] ? [404] : []),
    ...[409, 422].filter((status) => ownRefusals(document, operation, status)),
    ...(operation.responses['412'] ? [412] : []),
    ...(hasFurtherRules(document, operation) ? [400] : []),
  ];
  return [...success, ...errors];
}

/** Whether the operation or its body has rules that a schema cannot express. */
const hasFurtherRules = (document: Document, operation: Operation): boolean =>
  [operation, bodySchema(document, operation)].some((part) => part['x-further-rules'] !== undefined);

const OF_REPEATS = ['idempotency_in_progress', 'idempotency_key_reused'];

/** Whether a request may be refused because of its content, and not only as a repeat. */
function ownRefusals(document: Document, { responses }: Operation, status: number): boolean {
  const response = responses[String(status)];
  const examples = response && resolve(document, response).content?.['application/json']?.examples;
  return examples !== undefined && Object.keys(examples).some((code) => !OF_REPEATS.includes(code));
}

function parametersOf(document: Document, { parameters = [] }: Operation): Arbitrary<Properties> {
  // Only the list itself can create a cursor.
  const known = parameters.filter((one) => one.in !== 'header' && one.name !== 'cursor');
  const values = known.map((one) => [one.name, textOf(one, document)]);
  const requiredKeys = known.filter((one) => one.in === 'path').map(({ name }) => name);
  return fc.record(Object.fromEntries(values) as Record<string, Arbitrary<string>>, { requiredKeys });
}

/** An empty or dot segment would change the path. */
function textOf({ in: place, schema }: Parameter, document: Document): Arbitrary<string> {
  const texts = valid(schema, document).map(({ text }) => text);
  return place === 'path' ? texts.filter((text) => !/^\.{0,2}$/.test(text)) : texts;
}

/** A documented header identifies a request or a version, so each request gets a different value: bare, or in quotes. */
function headersOf(operation: Operation): Arbitrary<Properties> {
  const value = ({ schema }: Parameter) =>
    new RegExp(schema.pattern ?? '').test(randomUUID()) ? randomUUID() : `"${randomUUID()}"`;
  return fc
    .subarray([...parametersIn(operation, 'header')])
    .map((some) => Object.fromEntries(some.map((one) => [one.name, value(one)])));
}

function propertiesOf(document: Document, operation: Operation): Arbitrary<Properties> {
  const { properties = {}, required = [] } = bodySchema(document, operation);
  const values = Object.entries(properties).map(([name, schema]) => [
    name,
    valid(schema, document).map(({ json }) => json),
  ]);
  return fc.record(Object.fromEntries(values) as Record<string, Arbitrary<string>>, {
    requiredKeys: [...required],
  });
}

const jsonBody = ({ requestBody }: Operation) => requestBody?.content['application/json'];

function bodySchema(document: Document, operation: Operation): Schema {
  const body = jsonBody(operation);
  return body ? resolve(document, body.schema) : {};
}

interface Break extends Pick<Request, 'what' | 'expected'> {
  readonly change: (whole: Request) => Partial<Request>;
}

function breaks(
  document: Document,
  path: string,
  operation: Operation,
  otherMethods: readonly string[],
): Break[] {
  const isPublic = operation.security?.length === 0;
  const query = parametersIn(operation, 'query');
  // Pages read their query with a DTO. A handler without one ignores unknown parameters, and may take a text twice.
  const isStrict = query.some(({ name }) => name === 'cursor');
  const ofValid = expectedOfValid(document, path, operation);
  const surplus = [400, ...(isStrict ? [] : ofValid)];
  const values = [
    ...query.flatMap((one) => [...parameterBreaks(document, one), twice(one, surplus, ofValid)]),
    ...(operation.requestBody ? bodyBreaks(bodySchema(document, operation), document) : []),
  ];
  return [
    ...(isPublic ? [] : [{ what: 'no key', expected: [401, 429], change: () => ({ key: false as const }) }]),
    // An operation without parameters in its query ignores them all.
    ...(query.length > 0
      ? [{ what: 'unknown parameter', expected: surplus, change: () => ({ more: 'colour=red' }) }]
      : []),
    ...otherMethods.map((method) => ({ what: method, expected: [405], change: () => ({ method }) })),
    ...parametersIn(operation, 'path')
      .flatMap((one) => parameterBreaks(document, one))
      .map((one) =>
        hasFurtherRules(document, operation) ? { ...one, expected: [...one.expected, 400] } : one,
      ),
    ...parametersIn(operation, 'header').flatMap(headerBreaks),
    // The resource in the path may not exist, and a pipe may check that first.
    ...values.map((one) => (path.includes('{') ? { ...one, expected: [...one.expected, 404] } : one)),
  ];
}

const parametersIn = ({ parameters = [] }: Operation, ...places: readonly string[]) =>
  parameters.filter((one) => places.includes(one.in));

/** Header values that the schema's pattern rejects, except those that HTTP itself rejects. */
function headerBreaks({ name, schema }: Parameter): Break[] {
  const matches = new RegExp(schema.pattern ?? '');
  const broken = ['', 'a b', '"', '""', '"a";b', 'é', 'x'.repeat(256), `"${'x'.repeat(256)}"`];
  return broken
    .filter((value) => !matches.test(value))
    .map((value) => ({
      what: `${name}: ${value}`,
      expected: [400],
      change: () => ({ headers: { [name]: value } }),
    }));
}

function parameterBreaks(document: Document, { name, in: place, schema }: Parameter): Break[] {
  const resolved = resolve(document, schema);
  const inPath = resolved.format === 'int64' ? [404] : [404, 400]; // 400 by a pipe of Nest, such as `ParseUUIDPipe`
  const texts = name === 'cursor' ? ['x', 'AAAA', '\0'] : brokenText(resolved);
  return texts.map((text) => ({
    what: `${name}=${text}`,
    expected: place === 'path' ? inPath : [400],
    change: ({ parameters }: Request) => ({ parameters: { ...parameters, [name]: text } }),
  }));
}

const twice = (
  { name, schema }: Parameter,
  expected: readonly number[],
  ofValid: readonly number[],
): Break => ({
  what: `${name} twice`,
  expected: schema.type === 'array' ? [400, ...ofValid] : expected,
  change: () => ({ more: `${name}=1&${name}=1` }),
});

function bodyBreaks({ properties = {}, required = [] }: Schema, document: Document): Break[] {
  const withProperty = (name: string, json: string): Break => ({
    what: `${name}: ${json}`,
    expected: [400],
    change: ({ properties }) => ({ properties: { ...properties, [name]: json } }),
  });
  const without = (name: string): Break => ({
    what: `no ${name}`,
    expected: [400],
    change: ({ properties }) => ({
      properties: Object.fromEntries(Object.entries(properties).filter(([one]) => one !== name)),
    }),
  });
  return [
    ...Object.entries(properties).flatMap(([name, schema]) =>
      brokenJson(schema, document).map((json) => withProperty(name, json)),
    ),
    ...required.map(without),
    withProperty('colour', '"red"'),
    ...[...(required.length > 0 ? [''] : []), '{', '[]', 'null', '"x"', '{"a":}'].map((body) => ({
      what: `body ${body}`,
      expected: [400],
      change: () => ({ body }),
    })),
    { what: 'a form', expected: [415], change: () => ({ headers: { 'Content-Type': FORM } }) },
  ];
}
