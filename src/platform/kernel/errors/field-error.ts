/** One invalid value of a request. */
export interface FieldError {
  /** The part of the request. */
  readonly in: 'body' | 'query' | 'path' | 'header';
  /** Its name, such as `limit` or `lines.0.count`; `body` for the whole body. */
  readonly field: string;
  /** JSON pointer (RFC 6901) into the body, such as `/lines/0/count`. */
  readonly pointer?: string;
  /** For programs: `required`, `type`, `range` and others. Their meaning never changes. */
  readonly code: string;
  /** For people: the broken rule. */
  readonly message: string;
}

/** Property names and array indexes, outermost first. */
export type Path = readonly (string | number)[];

type Rule = Pick<FieldError, 'code' | 'message'>;

/** Characters; longer names are truncated. */
const MAX_NAME = 100;

/** An invalid value in a body. An empty path means the whole body. */
export function bodyError(path: Path, { code, message }: Rule): FieldError {
  if (path.length === 0) return { in: 'body', field: 'body', pointer: '', code, message };
  const pointer = path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return { in: 'body', field: shown(path), ...(pointer.length <= MAX_NAME && { pointer }), code, message };
}

/** An invalid parameter or header. */
export const parameterError = (of: 'query' | 'path' | 'header', path: Path, rule: Rule): FieldError => ({
  in: of,
  field: shown(path),
  ...rule,
});

/** An unknown property or parameter. */
export function unknownError(of: 'body' | 'query', path: Path): FieldError {
  const rule = {
    code: 'unknown',
    message: `Unknown ${of === 'body' ? 'property' : 'parameter'}: ${shown(path)}`,
  };
  return of === 'body' ? bodyError(path, rule) : parameterError(of, path, rule);
}

/** A path for people: `lines.0.count`. */
export function shown(path: Path): string {
  const name = path.join('.');
  return (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name).toWellFormed();
}

/** What a value of JSON is, for a sentence. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  const kinds: Readonly<Record<string, string>> = { string: 'text', number: 'a number', bigint: 'a number' };
  return kinds[typeof value] ?? (typeof value === 'boolean' ? String(value) : 'an object');
}
