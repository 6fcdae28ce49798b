import { DomainError } from '../../kernel/errors/domain-error.js';

/** Modules may have routes under other versions than /v1. */
const VERSIONED = /^\/v\d+(\/|$)/;

export class RouteNotFound extends DomainError {
  constructor(path: string) {
    const hint = VERSIONED.test(path) ? '' : ' The API is under /v1.';
    super('not_found', 'route_not_found', `There is nothing at ${path}.${hint}`);
  }
}

export class MethodNotAllowed extends DomainError {
  constructor(method: string, path: string, allowed: readonly string[]) {
    super(
      'method_not_allowed',
      'method_not_allowed',
      `${path} does not take ${method}, only ${allowed.join(', ')}.`,
    );
  }
}

export class UndecodablePath extends DomainError {
  constructor() {
    super('invalid', 'validation_failed', 'The path is not valid percent-encoding.');
  }
}
