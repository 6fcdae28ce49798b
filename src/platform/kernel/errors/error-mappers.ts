import { Injectable } from '@nestjs/common';
import type { DomainError } from './domain-error.js';

/** Maps an error of a library to a domain error; `undefined` for other errors. */
type ErrorMapper = (thrown: unknown) => DomainError | undefined;

/**
 * The mappers that modules register for errors of their libraries. The error filter applies them in order.
 */
@Injectable()
export class ErrorMappers {
  private readonly mappers: ErrorMapper[] = [];

  add(mapper: ErrorMapper): void {
    this.mappers.push(mapper);
  }

  map(thrown: unknown): DomainError | undefined {
    for (const mapper of this.mappers) {
      const mapped = mapper(thrown);
      if (mapped) return mapped;
    }
    return undefined;
  }
}
