import { Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { ApiErrors } from '../../kernel/errors/api-errors.decorator.js';
import type { DomainError } from '../../kernel/errors/domain-error.js';
import { type Int64, parseInt64 } from '../../kernel/json/int64.js';
import { wordsOf } from '../../kernel/naming/words.js';

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

interface IdOptions {
  /** One that the demo data has, in the state that the operation needs. */
  readonly example?: number;
  /** What the reader should know about it, such as where to find one. */
  readonly note?: string;
}

/**
 * Reads and documents the id of a resource in the path: `@Id('petId', PetNotFound) id: Int64`. An invalid id
 * gets the 404 of the resource.
 */
export function Id(
  name: string,
  NotFound: NotFoundError,
  { example = 1, note }: IdOptions = {},
): ParameterDecorator {
  return (target, method, index) => {
    Param(name, new IdPipe(NotFound))(target, method, index);
    const handler = method === undefined ? undefined : Object.getOwnPropertyDescriptor(target, method);
    if (method === undefined || !handler) throw new TypeError('@Id() is for a parameter of a handler');
    ApiParam({
      name,
      schema: { type: 'integer', format: 'int64', example },
      description: [`Identifier of the ${wordsOf(name.replace(/Id$/, ''))}.`, note].filter(Boolean).join(' '),
    })(target, method, handler);
    ApiErrors(new NotFound('4711'))(target, method, handler);
  };
}
