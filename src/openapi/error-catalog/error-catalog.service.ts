import { Inject, Injectable } from '@nestjs/common';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { DomainError } from '../../kernel/errors/domain-error.js';
import { apiErrorsOf } from '../decorators/api-errors.decorator.js';
import { type CatalogEntry, catalogEntry } from './catalog.js';

export const CATALOG_ENTRIES = Symbol('catalog entries');

const NO_HELP = 'Branch on `code`.';

/** The errors of the service and those that modules declare with `@ApiErrors()`, sorted by status. */
@Injectable()
export class ErrorCatalog {
  private complete?: readonly CatalogEntry[];

  constructor(
    @Inject(CATALOG_ENTRIES) private readonly own: readonly CatalogEntry[],
    private readonly modules: ModulesContainer,
  ) {}

  get entries(): readonly CatalogEntry[] {
    return (this.complete ??= this.collect());
  }

  private collect(): CatalogEntry[] {
    const all = new Map(this.own.map((entry) => [entry.example.code, entry]));
    for (const error of this.errorsOfModules()) {
      const { help = { meaning: error.message, action: NO_HELP } } = error.constructor as typeof DomainError;
      if (!all.has(error.code)) all.set(error.code, catalogEntry(error, help));
    }
    return [...all.values()].sort((one, other) => one.example.status - other.example.status);
  }

  private errorsOfModules(): readonly DomainError[] {
    const scanner = new MetadataScanner();
    const controllers = [...this.modules.values()].flatMap((module) => [...module.controllers.values()]);
    return controllers.flatMap(({ metatype }) => {
      const { prototype } = metatype as { readonly prototype: Readonly<Record<string, object>> };
      const handlers = scanner.getAllMethodNames(prototype).map((name) => prototype[name]);
      return [metatype as object, ...handlers].flatMap((place) => (place ? apiErrorsOf(place) : []));
    });
  }
}
