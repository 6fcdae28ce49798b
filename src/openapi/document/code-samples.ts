import type { PathOperation } from './paths.js';
import type { Route } from './routes.js';
import {
  type OperationObject,
  type ParameterObject,
  resolve,
  type ResponseObject,
  type SchemaObject,
  type SchemasObject,
} from './schemas.js';

type Values = Readonly<Record<string, unknown>>;

/** A call with the examples of its parameters and body. */
interface Call {
  readonly method: string;
  /** Address of the API, with its version. */
  readonly server: string;
  readonly url: string;
  readonly hasKey: boolean;
  /** The values of the parameters in the path. */
  readonly path: readonly unknown[];
  readonly body: Values | undefined;
  readonly bodySchema: SchemaObject;
  readonly isList: boolean;
}

/** Adds code samples: curl and, if the operation has a `@ClientMethod()`, the service's own clients. */
export function addCodeSamples(one: PathOperation, { clientMethod }: Route, schemas: SchemasObject): void {
  const call = callOf(one, schemas);
  if (!call) return;
  const samples = [{ lang: 'Shell', label: 'curl', source: curl(call) }];
  if (clientMethod !== undefined)
    samples.push(
      { lang: 'TypeScript', label: 'TypeScript', source: typeScript(clientMethod, call) },
      { lang: 'Python', label: 'Python', source: python(clientMethod, call) },
    );
  Object.assign(one.operation, { 'x-codeSamples': samples });
}

/** The example call; undefined if the body has no example, such as a file. */
function callOf({ operation, method, url, path }: PathOperation, schemas: SchemasObject): Call | undefined {
  const { requestBody, security } = operation;
  const content = requestBody && 'content' in requestBody ? requestBody.content : {};
  const json = content['application/json'];
  if (requestBody && json?.example === undefined) return undefined;
  const parameters = (operation.parameters ?? []) as ParameterObject[];
  const inPath = parameters.filter((one) => one.in === 'path');
  const inQuery = parameters.filter((one) => one.in === 'query' && one.required);
  const query = inQuery.map((one) => `${one.name}=${encodeURIComponent(String(exampleOf(one)))}`);
  const filled = inPath.reduce(
    (text, one) => text.replaceAll(`{${one.name}}`, encodeURIComponent(String(exampleOf(one)))),
    url,
  );
  return {
    method: method.toUpperCase(),
    server: url.slice(0, -path.length),
    url: [filled, ...(query.length > 0 ? [query.join('&')] : [])].join('?'),
    hasKey: security?.length !== 0,
    path: inPath.map(exampleOf),
    body: json?.example as Values | undefined,
    bodySchema: json?.schema ? resolve(json.schema, schemas) : {},
    isList: isList(operation),
  };
}

function exampleOf({ schema, example }: ParameterObject): unknown {
  const { examples, default: byDefault } = (schema ?? {}) as { examples?: unknown[]; default?: unknown };
  return (example as unknown) ?? examples?.[0] ?? byDefault ?? 1;
}

/** Whether the response is a page, with a link to the next one. */
function isList({ responses }: OperationObject): boolean {
  const { headers, content } = (responses['200'] ?? {}) as Partial<ResponseObject>;
  const schema = content?.['application/json']?.schema;
  return headers?.Link !== undefined && schema !== undefined && 'items' in schema;
}

const inShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function curl({ method, url, hasKey, body }: Call): string {
  return [
    `curl ${method === 'GET' || (method === 'POST' && body) ? '' : `-X ${method} `}${inShell(url)}`,
    ...(hasKey ? ['-H "Authorization: Bearer $PETSTORE_API_KEY"'] : []),
    ...(body ? [`-H 'Content-Type: application/json'`, `-d ${inShell(JSON.stringify(body))}`] : []),
  ].join(' \\\n  ');
}

function typeScript(clientMethod: string, { method, server, path, body, bodySchema, isList }: Call): string {
  const properties = Object.entries(body ?? {}).map(
    ([name, value]) => `${name}: ${isInt64(bodySchema, name) ? `${String(value)}n` : inTypeScript(value)}`,
  );
  const inPath = path.map((one) => (typeof one === 'number' ? `${one}n` : inTypeScript(one)));
  const args = [...inPath, ...(body ? [`{${lines(properties, '  ')}}`] : [])];
  const call = `client.${clientMethod}(${args.join(', ')})`;
  const use = isList
    ? `for await (const item of ${call})\n  console.log(item);`
    : method === 'DELETE'
      ? `await ${call};`
      : `const result = await ${call};\nconsole.log(result);`;
  return `import { PetstoreClient } from 'petstore-client';

// The API key is in PETSTORE_API_KEY.
const client = new PetstoreClient({
  url: '${server}',
});
${use}`;
}

/** Puts each part on a separate line. */
const lines = (parts: readonly string[], indent: string): string =>
  `\n${parts.map((part) => `${indent}${part},\n`).join('')}`;

function inTypeScript(value: unknown): string {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll(`\\"`, '"').replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) return `[${value.map(inTypeScript).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([name, one]) => `${inTypeScript(name)}: ${inTypeScript(one)}`)
    .join(', ')} }`;
}

/** Whether a property is a 64-bit integer, which the client represents as `bigint`. */
function isInt64({ properties = {} }: SchemaObject, name: string): boolean {
  const property = properties[name];
  return property !== undefined && 'format' in property && property.format === 'int64';
}

function python(clientMethod: string, { method, server, path, body, isList }: Call): string {
  const named = Object.entries(body ?? {}).map(([name, value]) => `${snakeCase(name)}=${inPython(value)}`);
  const args =
    named.length > 0 ? lines([...path.map(inPython), ...named], '    ') : path.map(inPython).join(', ');
  const call = `client.${snakeCase(clientMethod)}(${args})`;
  const use = isList
    ? `for item in ${call}:\n    print(item)`
    : method === 'DELETE'
      ? call
      : `result = ${call}\nprint(result)`;
  return `import petstore

# The API key is in PETSTORE_API_KEY.
client = petstore.PetstoreClient(
    url="${server}",
)
${use}`;
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function inPython(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(inPython).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, one]) => `${inPython(name)}: ${inPython(one)}`)
    .join(', ')}}`;
}
