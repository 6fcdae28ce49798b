import { Inject, Injectable } from '@nestjs/common';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import type { DomainError } from '../../kernel/errors/domain-error.js';
import { apiErrorsOf } from '../decorators/api-errors.decorator.js';
import { type CatalogEntry, completeCatalog } from './catalog.js';

export const CATALOG_ENTRIES = Symbol('catalog entries');

/** The entries of the service, and of every error that a module names with `@ApiErrors()`. */
@Injectable()
export class ErrorCatalog {
  private complete?: readonly CatalogEntry[];

  constructor(
    @Inject(CATALOG_ENTRIES) private readonly own: readonly CatalogEntry[],
    private readonly modules: ModulesContainer,
  ) {}

  get entries(): readonly CatalogEntry[] {
    return (this.complete ??= completeCatalog(this.own, [...this.errorsOfModules()]));
  }

  private *errorsOfModules(): Generator<DomainError> {
    const scanner = new MetadataScanner();
    for (const { controllers } of this.modules.values()) {
      for (const { metatype } of controllers.values()) {
        const { prototype } = metatype as { readonly prototype: Readonly<Record<string, object>> };
        const handlers = scanner.getAllMethodNames(prototype).map((name) => prototype[name]);
        for (const place of [metatype as object, ...handlers]) if (place) yield* apiErrorsOf(place);
      }
    }
  }
}
