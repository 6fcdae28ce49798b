/** One invalid value of a request. */
export interface FieldError {
  /** The part of the request. */
  readonly in: 'body' | 'query' | 'path' | 'header';
  /** Its name: `limit`, `address.street`, `lines.0.count`; `body` for the body as a whole. */
  readonly field: string;
  /** JSON pointer (RFC 6901) into the body: `/lines/0/count`. */
  readonly pointer?: string;
  /** For programs: `required`, `type`, `range` and so on. A code keeps its meaning. */
  readonly code: string;
  /** For people: the rule it breaks. */
  readonly message: string;
}

/** Names of properties and indexes of items, from the outside in. */
export type Path = readonly (string | number)[];

type Rule = Pick<FieldError, 'code' | 'message'>;

/** Longer names from a client are cut. */
const MAX_NAME = 100;

/** An invalid value in a body. An empty path is the body as a whole. */
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
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME).toWellFormed()}…` : name;
}
