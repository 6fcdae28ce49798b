import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import type { Request, Response } from 'express';
import { versionOf } from '../conditional/if-match.condition.js';
import { Page } from './page.js';
import { IntegerParameter, OptionalNotNull } from '../validation/property.decorators.js';

const DEFAULT_LIMIT = 20;

/** The query parameters of every paged list. A list extends them with its filters. */
export class PageQuery {
  @IntegerParameter({
    description: 'Maximum number of items in the page.',
    min: 1,
    max: 100,
    default: DEFAULT_LIMIT,
  })
  readonly limit: number = DEFAULT_LIMIT;

  @ApiPropertyOptional({
    description: 'Start of the page: the `cursor` in the `Link` header of the previous page. Opaque.',
    example: 'AAAAAAAAABThv7qlTs2QPg',
  })
  @OptionalNotNull()
  @IsString()
  readonly cursor?: string;
}

/**
 * Adds the `Link` to the next page (RFC 8288): the absolute URL of the same request with the next cursor. If the client
 * requested one id, adds the `ETag` of the item.
 * @param result a page, or an object with a page as a property
 * @param base address of the service, without `/v1`
 */
export function addPageHeaders(response: Response, result: unknown, base: () => string): void {
  const page = pageIn(result);
  if (page?.next !== undefined) {
    const { req: request } = response;
    const next = `<${base()}${request.path}?${withCursor(request, page.next)}>; rel="next"`;
    const others = response.getHeader('Link');
    response.setHeader('Link', others === undefined ? next : `${String(others)}, ${next}`);
  }
  const [item] = (page?.isOfOneId === true ? page : []) as readonly object[];
  if (item) response.setHeader('ETag', versionOf(item));
}

function pageIn(result: unknown): Page<unknown> | undefined {
  if (result instanceof Page) return result;
  if (typeof result !== 'object' || result === null) return undefined;
  return Object.values(result).find((value): value is Page<unknown> => value instanceof Page);
}

function withCursor({ url }: Request, cursor: string): string {
  const query = new URLSearchParams(url.split('?')[1]);
  query.set('cursor', cursor);
  return query.toString();
}
