import { applyDecorators, HttpCode, SetMetadata, type Type } from '@nestjs/common';
import { ApiConsumes, ApiCreatedResponse, ApiOkResponse } from '@nestjs/swagger';
import type { SentResource } from '../core/request-state.js';
import { SENT_RESOURCE } from './response-headers.js';
import { wordsOf } from '../../kernel/naming/words.js';
import { PLACES } from '../../kernel/config/service.js';

const ETAG = {
  ETag: {
    description:
      'The version of the resource, the same as in a `GET`. Send it in `If-Match` to operations that accept it.',
    schema: { type: 'string' as const },
    example: '"q83vEjRWeJASNFZ4kKvN7w"',
  },
};

const LOCATION = {
  Location: {
    description: 'Where to find the new resource.',
    schema: { type: 'string' as const, format: 'uri-reference' },
    example: `${PLACES.path}/42`,
  },
};

interface ResourceOptions {
  readonly description?: string;
  /** `false` if the response differs from that of a GET, for example by a secret. */
  readonly etag?: boolean;
}

/** For a handler that creates a resource and returns it: 201 with `Location` and `ETag`. */
export function Created(resource: Type, options: ResourceOptions = {}): MethodDecorator {
  const { description = `The created ${resourceName(resource)}.`, etag = true } = options;
  return applyDecorators(
    HttpCode(201),
    sends({ etag, isNew: true }),
    ApiCreatedResponse({ type: resource, description, headers: { ...(etag && ETAG), ...LOCATION } }),
  );
}

/** For a handler that changes a resource by a merge patch and returns it: 200 with the new `ETag`. */
export const Updated = (resource: Type, options: ResourceOptions = {}): MethodDecorator =>
  applyDecorators(
    ApiConsumes('application/merge-patch+json', 'application/json'),
    Changed(resource, options),
  );

/**
 * For a handler that changes a resource in another way, such as by an action, and returns it: 200 with the
 * new `ETag`.
 */
export function Changed(resource: Type, options: ResourceOptions = {}): MethodDecorator {
  const { description = `The changed ${resourceName(resource)}.`, etag = true } = options;
  return applyDecorators(
    HttpCode(200),
    sends({ etag }),
    ApiOkResponse({ type: resource, description, ...(etag && { headers: ETAG }) }),
  );
}

/** The headers are written from what is sent: an author whose interceptor wraps bodies sets them. */
const sends = (sent: SentResource): MethodDecorator => SetMetadata(SENT_RESOURCE, sent);

/** `PetResponse`: "pet". */
const resourceName = ({ name }: Type): string => wordsOf(name.replace(/Response$/, ''));
