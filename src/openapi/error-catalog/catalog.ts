import { type ErrorBody, ofDomainError } from '../../http/errors/error-body.js';
import { DomainError, type ErrorHelp } from '../../kernel/errors/domain-error.js';

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
