import { DomainError } from './domain-error.js';

/** Modules may have routes under other versions than /v1. */
const VERSIONED = /^\/v\d+(\/|$)/;

export class RouteNotFound extends DomainError {
  static override readonly help = {
    meaning: 'The path does not exist. Paths are case-sensitive and start with `/v1`.',
    action: 'Compare the path with the documentation.',
  };

  constructor(path: string) {
    const hint = VERSIONED.test(path) ? '' : ' The API is under /v1.';
    super('not_found', 'route_not_found', `There is nothing at ${path}.${hint}`);
  }
}

export class MethodNotAllowed extends DomainError {
  static override readonly help = {
    meaning: 'The path exists but does not support this method.',
    action: 'Use one of the methods in the `Allow` header.',
  };

  constructor(method: string, path: string, allowed: readonly string[]) {
    super(
      'method_not_allowed',
      'method_not_allowed',
      `${path} does not support ${method}, only ${allowed.join(', ')}.`,
    );
  }
}

export class UndecodablePath extends DomainError {
  constructor() {
    super('invalid', 'validation_failed', 'The path is not valid percent-encoding.');
  }
}

/** Whether the path's percent-encoding is valid UTF-8 (RFC 3986, section 2.1). */
export function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
