import { HEADERS_METADATA, SSE_METADATA } from '@nestjs/common/internal.js';
import { DECORATORS } from '@nestjs/swagger';
import { memoizePair } from '../../kernel/caching.js';

export const JSON_TYPE = 'application/json'; // JSON has no `charset` (RFC 8259, section 11)

interface Header {
  readonly name: string;
  readonly value: string | (() => string);
}

interface DeclaredResponse {
  readonly type?: unknown;
  readonly isArray?: boolean;
  readonly schema?: { readonly type?: unknown };
  readonly content?: object;
}

/** The media types of a route's successful responses, as its decorators declare them; empty if unknown. */
export const producedTypes = memoizePair(declaredTypes);

function declaredTypes(controller: object, handler: object): readonly string[] {
  const read = (key: string): unknown =>
    Reflect.getMetadata(key, handler) ?? Reflect.getMetadata(key, controller);
  if (read(SSE_METADATA) === true) return ['text/event-stream'];
  const headers = (read(HEADERS_METADATA) ?? []) as readonly Header[];
  const header = headers.findLast(({ name }) => name.toLowerCase() === 'content-type');
  if (header) return typeof header.value === 'string' ? [withoutParameters(header.value)] : [];
  const produces = read(DECORATORS.API_PRODUCES) as readonly string[] | undefined;
  if (produces) return produces.map(withoutParameters);
  const responses = (read(DECORATORS.API_RESPONSE) ?? {}) as Readonly<Record<string, DeclaredResponse>>;
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const types = successes.map(([, response]) => typesOf(response));
  return types.some((some) => some.length === 0) ? [] : types.flat();
}

function typesOf({ type, isArray, schema, content }: DeclaredResponse): readonly string[] {
  if (content) {
    const types = Object.keys(content).map(withoutParameters);
    return types.some((one) => one.includes('*')) ? [] : types;
  }
  if (isArray === true) return [JSON_TYPE];
  const sentAsText = [String, Number, Boolean, 'string', 'number', 'integer', 'boolean'] as unknown[];
  const declared = schema ? (schema.type ?? 'object') : type;
  return declared === undefined || sentAsText.includes(declared) ? [] : [JSON_TYPE];
}

const withoutParameters = (type: string): string => type.split(';', 1)[0]?.trim().toLowerCase() ?? '';
