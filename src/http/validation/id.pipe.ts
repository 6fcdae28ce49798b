import type { PipeTransform } from '@nestjs/common';
import type { DomainError } from '../../kernel/errors/domain-error.js';
import { type Int64, parseInt64 } from '../../kernel/json/int64.js';

/** The error of a resource that does not exist. */
export type NotFoundError = new (id: Int64 | string) => DomainError;

/** An id in a path. A text that is not an id gets the same 404 as an id that no resource has. */
export class IdPipe implements PipeTransform<string, Int64> {
  constructor(private readonly NotFound: NotFoundError) {}

  transform(text: string): Int64 {
    const id = parseInt64(text);
    if (id === undefined) throw new this.NotFound(text);
    return id;
  }
}
