import type { Type } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/internal.js';
import { type DiscoveryService, MetadataScanner } from '@nestjs/core';

/** A method of a controller that handles a route. */
export interface Handler {
  readonly controller: Type;
  readonly handler: object;
  readonly name: string;
}

/** The handlers of all controllers, in the order of the modules. */
export function handlersOf(discovery: DiscoveryService): Handler[] {
  const scanner = new MetadataScanner();
  return discovery.getControllers().flatMap(({ metatype }) => {
    const controller = metatype as Type;
    const prototype = controller.prototype as Readonly<Record<string, object>>;
    return scanner.getAllMethodNames(prototype).flatMap((name) => {
      const handler = prototype[name];
      return handler && Reflect.hasMetadata(METHOD_METADATA, handler) ? [{ controller, handler, name }] : [];
    });
  });
}
