import type { Petstore } from '../petstore.js';
import type { ReceivedResponse } from './response-validator.js';
import type { Request } from './requests.js';

/** Sends a request unchanged, valid or not. */
export async function send(petstore: Petstore, key: string, request: Request): Promise<ReceivedResponse> {
  const client = petstore.client(request.key === false ? undefined : key);
  const call = client[request.method as 'get'](address(request));
  if (request.hasBody) call.set('Content-Type', 'application/json').send(request.body ?? bodyOf(request));
  return call.set(request.headers ?? {});
}

function address({ path, parameters, more }: Request): string {
  const inPath = new Set<string>();
  const filled = path.replace(/{(\w+)}/g, (_, name: string) => {
    inPath.add(name);
    return encodeURIComponent(parameters[name] ?? '');
  });
  const query = new URLSearchParams(Object.entries(parameters).filter(([name]) => !inPath.has(name)));
  return `/v1${filled}?${[query.toString(), more].filter(Boolean).join('&')}`;
}

const bodyOf = ({ properties }: Request): string =>
  `{${Object.entries(properties)
    .map(([name, json]) => `${JSON.stringify(name)}:${json}`)
    .join(',')}}`;
