import { applyDecorators, type Type } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { parameterError } from '../../kernel/errors/field-error.js';
import { ValidationFailed } from '../../kernel/errors/common.errors.js';
import { InvalidCursor } from '../../kernel/pagination/page.js';
import { ApiErrors } from './api-errors.decorator.js';

const LIMIT_OUT_OF_RANGE = new ValidationFailed([
  parameterError('query', ['limit'], { code: 'range', message: 'limit must be from 1 to 100' }),
]);

const LINK = '`<URL of the next page>; rel="next"` (RFC 8288). Absent on the last page.';

interface PagedOptions {
  readonly description: string;
  /** Description of the `Link` header, for a list without a last page. */
  readonly link?: string;
}

/** Documents a handler that returns a `Page`: an array, and the `Link` to the next page. */
export function Paged(item: Type, { description, link = LINK }: PagedOptions): MethodDecorator {
  return applyDecorators(
    ApiErrors(new InvalidCursor(), LIMIT_OUT_OF_RANGE),
    ApiOkResponse({
      description,
      type: [item],
      headers: {
        Link: {
          description: link,
          schema: { type: 'string' },
        },
      },
    }),
  );
}
