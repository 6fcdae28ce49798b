import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { type ErrorBody, ofDomainError } from '../../../kernel/errors/error-body.js';
import type { DomainError, ErrorHelp } from '../../../kernel/errors/domain-error.js';
import { apiErrorsOf } from '../../../kernel/errors/api-errors.decorator.js';
import { CLIENT_ERROR_CATALOG } from '../../../http/core/adapter/client-errors.js';
import { pipelineErrors } from '../pipeline-errors.js';
import { handlersOf } from '../../../http/core/handlers.js';

/** The description of an error code. */
export interface CatalogEntry extends ErrorHelp {
  /** An example response. */
  readonly example: ErrorBody;
}

/** Describes codes that are not in the catalogue. */
export const OTHER_CODES =
  'New codes may be added, and some are only the name of their status: `conflict` for 409, `payment_required` for 402. Treat ' +
  'an unknown code like its status.';

const NO_HELP = 'Branch on `code`.';

function entryOf(error: DomainError): CatalogEntry {
  const { help = { meaning: error.message, action: NO_HELP } } = error.constructor as typeof DomainError;
  return { example: ofDomainError(error), ...help };
}

/** The errors of the service and those that modules declare with `@ApiErrors()`, sorted by status. */
@Injectable()
export class ErrorCatalog {
  private complete?: readonly CatalogEntry[];

  constructor(private readonly discovery: DiscoveryService) {}

  get entries(): readonly CatalogEntry[] {
    return (this.complete ??= this.collect());
  }

  private collect(): CatalogEntry[] {
    const ofFeatures = handlersOf(this.discovery).flatMap(({ controller, handler }) => [
      ...apiErrorsOf(controller),
      ...apiErrorsOf(handler),
    ]);
    const all = new Map<string, CatalogEntry>();
    for (const entry of [...CLIENT_ERROR_CATALOG, ...[...pipelineErrors(), ...ofFeatures].map(entryOf)])
      if (!all.has(entry.example.code)) all.set(entry.example.code, entry);
    return [...all.values()].sort((one, other) => one.example.status - other.example.status);
  }
}
