import { Inject, Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { type ErrorBody, ofDomainError } from '../../http/errors/error-body.js';
import { DomainError, type ErrorHelp } from '../../kernel/errors/domain-error.js';
import { apiErrorsOf } from '../decorators/api-errors.decorator.js';
import { handlersOf } from '../handlers.js';

/** The description of an error code. */
export interface CatalogEntry extends ErrorHelp {
  /** An example response. */
  readonly example: ErrorBody;
}

/** Makes an entry from an instance of the error, or from the body of an error that is not thrown. */
export const catalogEntry = (error: DomainError | ErrorBody, help: ErrorHelp): CatalogEntry => ({
  example: error instanceof DomainError ? ofDomainError(error) : error,
  ...help,
});

/** Describes codes that are not in the catalogue. */
export const OTHER_CODES =
  'A module may throw an HTTP exception without a code of its own. Its code is then the name of the status in snake_case: ' +
  '`conflict` for 409, `payment_required` for 402. New codes may be added. Treat an unknown code like its status.';

export const CATALOG_ENTRIES = Symbol('catalog entries');

const NO_HELP = 'Branch on `code`.';

/** The errors of the service and those that modules declare with `@ApiErrors()`, sorted by status. */
@Injectable()
export class ErrorCatalog {
  private complete?: readonly CatalogEntry[];

  constructor(
    @Inject(CATALOG_ENTRIES) private readonly own: readonly CatalogEntry[],
    private readonly discovery: DiscoveryService,
  ) {}

  get entries(): readonly CatalogEntry[] {
    return (this.complete ??= this.collect());
  }

  private collect(): CatalogEntry[] {
    const all = new Map(this.own.map((entry) => [entry.example.code, entry]));
    for (const { controller, handler } of handlersOf(this.discovery)) {
      for (const error of [...apiErrorsOf(controller), ...apiErrorsOf(handler)]) {
        const { help = { meaning: error.message, action: NO_HELP } } =
          error.constructor as typeof DomainError;
        if (!all.has(error.code)) all.set(error.code, catalogEntry(error, help));
      }
    }
    return [...all.values()].sort((one, other) => one.example.status - other.example.status);
  }
}
