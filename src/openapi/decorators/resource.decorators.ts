import { applyDecorators, HttpCode, type Type, UseInterceptors } from '@nestjs/common';
import { ApiConsumes, ApiCreatedResponse, ApiOkResponse } from '@nestjs/swagger';
import { EtagInterceptor, LocationInterceptor } from '../../http/conditional/resource-headers.js';
import { wordsOf } from './words.js';

const ETAG = {
  ETag: {
    description:
      'The version of the resource, the same as in a `GET`. Send it in `If-Match` with your next change.',
    schema: { type: 'string' as const },
    example: '"q83vEjRWeJASNFZ4kKvN7w"',
  },
};

const LOCATION = {
  Location: {
    description: 'Where to find the new resource.',
    schema: { type: 'string' as const, format: 'uri-reference' },
    example: '/v1/pets/42',
  },
};

interface ResourceOptions {
  readonly description?: string;
  /** `false` where a GET of it responds otherwise, without a secret for instance. */
  readonly etag?: boolean;
}

/** A handler that creates the resource that it returns: 201, its `Location` and its `ETag`. */
export function Created(resource: Type, options: ResourceOptions = {}): MethodDecorator {
  const { description = `The created ${nameOf(resource)}.`, etag = true } = options;
  return applyDecorators(
    HttpCode(201),
    UseInterceptors(LocationInterceptor, ...(etag ? [EtagInterceptor] : [])),
    ApiCreatedResponse({ type: resource, description, headers: { ...(etag && ETAG), ...LOCATION } }),
  );
}

/** A handler that changes the resource that it returns, by a merge patch: 200 and its new `ETag`. */
export function Updated(resource: Type, options: ResourceOptions = {}): MethodDecorator {
  const { description = `The changed ${nameOf(resource)}.`, etag = true } = options;
  return applyDecorators(
    ApiConsumes('application/merge-patch+json', 'application/json'),
    UseInterceptors(...(etag ? [EtagInterceptor] : [])),
    ApiOkResponse({ type: resource, description, ...(etag && { headers: ETAG }) }),
  );
}

/** `PetResponse`: "pet". */
const nameOf = ({ name }: Type): string => wordsOf(name.replace(/Response$/, ''));
