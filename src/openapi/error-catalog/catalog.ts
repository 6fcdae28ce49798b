import { type ErrorBody, ofDomainError } from '../../http/errors/error-body.js';
import { DomainError, type ErrorHelp } from '../../kernel/errors/domain-error.js';

/** The description of an error code. */
export interface CatalogEntry extends ErrorHelp {
  /** A response as a client may get it. */
  readonly example: ErrorBody;
}

/** An entry made from an instance of its error, or from the body of one that is not thrown. */
export const catalogEntry = (error: DomainError | ErrorBody, help: ErrorHelp): CatalogEntry => ({
  example: error instanceof DomainError ? ofDomainError(error) : error,
  ...help,
});

/** The description of codes that the catalogue does not list. */
export const OTHER_CODES =
  'A module may throw an HTTP exception without a code of its own. Its code is then the name of the status in snake_case: ' +
  '`conflict` for 409, `payment_required` for 402. New codes may be added. Treat an unknown code like its status.';
