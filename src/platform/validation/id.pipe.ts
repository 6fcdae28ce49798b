import type { PipeTransform } from '@nestjs/common';
import type { DomainError } from '../errors/domain-error.js';
import { type Int64, parseInt64 } from '../json/int64.js';

/** The error of a resource that does not exist. */
export type NotFoundError = new (id: Int64 | string) => DomainError;

/** Parses an id in a path. An invalid id gets the same 404 as an unknown one. */
export class IdPipe implements PipeTransform<string, Int64> {
  constructor(private readonly NotFound: NotFoundError) {}

  transform(text: string): Int64 {
    const id = parseInt64(text);
    if (id === undefined) throw new this.NotFound(text);
    return id;
  }
}
