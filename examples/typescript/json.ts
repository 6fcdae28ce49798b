/**
 * Identifiers are signed 64-bit integers, and a JavaScript number keeps every digit only up to 2^53. In this client
 * they are bigints: put in quotes in the text of an answer before it is parsed, and taken out of them in a request.
 */
export type Exact<T> = { [Member in keyof T]: Member extends 'id' | `${string}Id` ? bigint : T[Member] };

// Neither can match inside a text: a quote in there has a backslash before it.
const NUMBER = /"(id|\w+Id)":\s*(-?\d+)/g;
const TEXT = /"(id|\w+Id)":"(-?\d+)"/g;

export function readJson(text: string): unknown {
  return JSON.parse(text.replace(NUMBER, '"$1":"$2"'), (member, value: unknown) =>
    /^id$|Id$/.test(member) && typeof value === 'string' ? BigInt(value) : value,
  );
}

export function writeJson(value: unknown): string {
  const quoted = JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'bigint' ? String(inner) : inner,
  );
  return quoted.replace(TEXT, '"$1":$2');
}
