/** One invalid value of a request. */
export interface FieldError {
  /** The part of the request that it is in. */
  readonly in: 'body' | 'query' | 'path' | 'header';
  /** Its name: `limit`, `address.street`, `lines.0.count`; `body` for the body as a whole. */
  readonly field: string;
  /** Where it is in a body, as a JSON pointer (RFC 6901): `/lines/0/count`. */
  readonly pointer?: string;
  /** For programs: `required`, `type`, `range` and so on. A code keeps its meaning. */
  readonly code: string;
  /** For people: which rule it breaks. */
  readonly message: string;
}

/** Names of properties and indexes of items, from the outside in. */
export type Path = readonly (string | number)[];

type What = Pick<FieldError, 'code' | 'message'>;

/** Only the start of a name from outside is told back. */
const MAX_NAME = 100;

/** An invalid value of a body; of the body as a whole, if the path is empty. */
export function bodyError(path: Path, { code, message }: What): FieldError {
  if (path.length === 0) return { in: 'body', field: 'body', pointer: '', code, message };
  const pointer = path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return { in: 'body', field: shown(path), ...(pointer.length <= MAX_NAME && { pointer }), code, message };
}

/** An invalid parameter or header. */
export const parameterError = (of: 'query' | 'path' | 'header', path: Path, what: What): FieldError => ({
  in: of,
  field: shown(path),
  ...what,
});

/** A property or parameter that no one asked for. */
export function unknownError(of: 'body' | 'query', path: Path): FieldError {
  const what = {
    code: 'unknown',
    message: `Unknown ${of === 'body' ? 'property' : 'parameter'}: ${shown(path)}`,
  };
  return of === 'body' ? bodyError(path, what) : parameterError(of, path, what);
}

/** A path as people write it. */
export function shown(path: Path): string {
  const name = path.join('.');
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME).toWellFormed()}…` : name;
}
