import { applyDecorators, type Type, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { InvalidCursor } from './cursor.js';
import { ApiRefusals } from '../openapi/refusals.decorator.js';
import { PagingInterceptor } from './paging.interceptor.js';

interface PagedOptions {
  readonly description: string;
}

/** A handler that returns a `Page`: what the answer looks like, in the document and on the wire. */
export function Paged(item: Type, { description }: PagedOptions): MethodDecorator {
  return applyDecorators(
    UseInterceptors(PagingInterceptor),
    ApiRefusals(new InvalidCursor()),
    ApiOkResponse({
      description,
      type: [item],
      headers: {
        Link: {
          description:
            'While more follow: `<URL of the next page>; rel="next"` (RFC 8288). Absent on the last page.',
          schema: { type: 'string' },
          example: '<http://127.0.0.1:3000/v1/pets?limit=20&cursor=AAAAAAAAABSf3nP2r0yY3A>; rel="next"',
        },
      },
    }),
  );
}
