import type { OperationObject, ParameterObject } from './schemas.js';

interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

interface Call {
  readonly method: string;
  readonly url: string;
  readonly hasKey: boolean;
  /** JSON. */
  readonly body?: string;
}

/** Adds the code samples that renderers show. They need no library beside curl, Node.js and Python. */
export function addCodeSamples(operation: OperationObject, method: string, url: string): void {
  const { requestBody } = operation;
  const content = requestBody && 'content' in requestBody ? requestBody.content : {};
  const json = content['application/json'];
  if (requestBody && json?.example === undefined) return; // a file, for instance: there is nothing to show
  const call: Call = {
    method: method.toUpperCase(),
    url: withParameters(url, (operation.parameters ?? []) as ParameterObject[]),
    hasKey: operation.security?.length !== 0,
    ...(json && { body: JSON.stringify(json.example) }),
  };
  const samples: CodeSample[] = [
    { lang: 'Shell', label: 'curl', source: curl(call) },
    { lang: 'TypeScript', label: 'TypeScript', source: typeScript(call) },
    { lang: 'Python', label: 'Python', source: python(call) },
  ];
  Object.assign(operation, { 'x-codeSamples': samples });
}

/** The address with an example in the place of each parameter of its path, and the query that it needs. */
function withParameters(url: string, parameters: readonly ParameterObject[]): string {
  let path = url;
  const query = new URLSearchParams();
  for (const { name, in: place, required, schema, example } of parameters) {
    const { examples, default: byDefault } = (schema ?? {}) as { examples?: unknown[]; default?: unknown };
    const value = String(example ?? examples?.[0] ?? byDefault ?? 1);
    if (place === 'path') path = path.replaceAll(`{${name}}`, encodeURIComponent(value));
    else if (place === 'query' && required) query.set(name, value);
  }
  return query.size > 0 ? `${path}?${query.toString()}` : path;
}

const inShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function curl({ method, url, hasKey, body }: Call): string {
  return [
    `curl ${method === 'GET' || (method === 'POST' && body) ? '' : `-X ${method} `}${inShell(url)}`,
    ...(hasKey ? ['-H "Authorization: Bearer $PETSTORE_API_KEY"'] : []),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${inShell(body)}`]),
  ].join(' \\\n  ');
}

function typeScript({ method, url, hasKey, body }: Call): string {
  const headers = [
    ...(hasKey ? ['Authorization: `Bearer ${process.env.PETSTORE_API_KEY}`'] : []),
    ...(body === undefined ? [] : [`'Content-Type': 'application/json'`]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(headers.length > 0 ? [`headers: { ${headers.join(', ')} }`] : []),
    ...(body === undefined ? [] : [`body: JSON.stringify(${body})`]),
  ];
  const init = options.length > 0 ? `, {\n${options.map((option) => `  ${option},\n`).join('')}}` : '';
  return `const response = await fetch(${JSON.stringify(url)}${init});
if (!response.ok) throw new Error(await response.text());
console.log(await response.text());`;
}

function python({ method, url, hasKey, body }: Call): string {
  const headers = [
    ...(hasKey ? [`"Authorization": f"Bearer {os.environ['PETSTORE_API_KEY']}"`] : []),
    ...(body === undefined ? [] : ['"Content-Type": "application/json"']),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method="${method}"`]),
    ...(headers.length > 0 ? [`headers={${headers.join(', ')}}`] : []),
    ...(body === undefined ? [] : [`data=${JSON.stringify(body)}.encode()`]),
  ];
  const list = [JSON.stringify(url), ...options].map((option) => `    ${option},\n`).join('');
  return `import json
import os
import urllib.request

request = urllib.request.Request(
${list})
with urllib.request.urlopen(request) as response:
    print(json.load(response))`;
}
