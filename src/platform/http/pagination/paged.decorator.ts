import { applyDecorators, SetMetadata, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse } from '@nestjs/swagger';
import { parameterError } from '../../kernel/errors/field-error.js';
import { ValidationFailed } from '../../kernel/errors/common.errors.js';
import { InvalidCursor } from './page.js';
import { ApiErrors } from '../../kernel/errors/api-errors.decorator.js';

const LIMIT_OUT_OF_RANGE = new ValidationFailed([
  parameterError('query', ['limit'], { code: 'range', message: 'limit must be from 1 to 100' }),
]);

const LINK = '`<URL of the next page>; rel="next"` (RFC 8288). Absent on the last page.';

interface PagedOptions {
  readonly description: string;
  /** Name of the schema of the array, if it has one of its own. */
  readonly name?: string;
  /** Description of the `Link` header, for a list without a last page. */
  readonly link?: string;
}

/** Documents a handler that returns a `Page`: an array, and the `Link` to the next page. */
export function Paged(item: Type, { description, name, link = LINK }: PagedOptions): MethodDecorator {
  const headers = { Link: { description: link, schema: { type: 'string' } } } as const;
  const array = { schema: { $ref: `#/components/schemas/${name ?? ''}` } };
  return applyDecorators(
    ApiErrors(new InvalidCursor(), LIMIT_OUT_OF_RANGE),
    ApiExtraModels(item),
    ApiOkResponse({ description, headers, ...(name === undefined ? { type: [item] } : array) }),
    ...(name === undefined ? [] : [SetMetadata(PAGE_SCHEMA, { name, item } satisfies PageSchema)]),
  );
}

const PAGE_SCHEMA = 'openapi:page-schema';

/** The named schema of an array. */
export interface PageSchema {
  readonly name: string;
  readonly item: Type;
}

export const pageSchemaOf = (handler: object) =>
  Reflect.getMetadata(PAGE_SCHEMA, handler) as PageSchema | undefined;
