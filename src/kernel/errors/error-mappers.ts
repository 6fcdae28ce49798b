import { Injectable } from '@nestjs/common';
import type { DomainError } from './domain-error.js';

/** What an error of a library means to a client; `undefined` for errors that it does not know. */
export type ErrorMapper = (thrown: unknown) => DomainError | undefined;

/** Where a module says what the errors of its library mean: the error filter asks here, and knows no library. */
@Injectable()
export class ErrorMappers {
  private readonly mappers: ErrorMapper[] = [];

  add(mapper: ErrorMapper): void {
    this.mappers.push(mapper);
  }

  map(thrown: unknown): DomainError | undefined {
    for (const mapper of this.mappers) {
      const meaning = mapper(thrown);
      if (meaning) return meaning;
    }
    return undefined;
  }
}
