import { RequestMethod } from '@nestjs/common';
import { PATH_METADATA, VERSION_METADATA } from './nest-metadata.js';
import type { DiscoveryService } from '@nestjs/core';
import { DECORATORS } from '@nestjs/swagger';
import { handlersOf } from './handlers.js';

/** The media types of `@ApiConsumes()`, on the handler or its class. */
export const consumedTypes = (handler: object, controller: object): string[] | undefined =>
  (Reflect.getMetadata(DECORATORS.API_CONSUMES, handler) ??
    Reflect.getMetadata(DECORATORS.API_CONSUMES, controller)) as string[] | undefined;

/**
 * For each route of a PATCH, such as `/v1/pets/:petId`, the value of `Accept-Patch` (RFC 5789, section 3.1).
 */
export function acceptedPatches(discovery: DiscoveryService): ReadonlyMap<string, string> {
  return new Map(
    handlersOf(discovery)
      .filter(({ method }) => method === RequestMethod.PATCH)
      .flatMap(({ controller, handler }) => {
        const types = (consumedTypes(handler, controller) ?? ['application/json']).join(', ');
        const versions = metadata(VERSION_METADATA, handler) ?? metadata(VERSION_METADATA, controller) ?? [];
        const collections = metadata(PATH_METADATA, controller) ?? [];
        const paths = metadata(PATH_METADATA, handler) ?? [];
        return versions.flatMap((version) =>
          collections.flatMap((collection) =>
            paths.map(
              (path) => [routeOf(`v${String(version)}`, String(collection), String(path)), types] as const,
            ),
          ),
        );
      }),
  );
}

const metadata = (key: string, target: object): unknown[] | undefined => {
  const value: unknown = Reflect.getMetadata(key, target);
  return value === undefined ? undefined : [value].flat(); // of a version, also VERSION_NEUTRAL, which is a symbol
};

const routeOf = (...parts: readonly string[]): string =>
  parts
    .flatMap((part) => part.split('/'))
    .filter(Boolean)
    .reduce((route, segment) => `${route}/${segment}`, '');
