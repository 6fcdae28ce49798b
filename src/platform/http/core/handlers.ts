import type { RequestMethod, Type } from '@nestjs/common';
import { METHOD_METADATA, ROUTE_ARGS_METADATA, RouteParamtypes } from './nest-metadata.js';
import { type DiscoveryService, MetadataScanner } from '@nestjs/core';

/** A method of a controller that handles a route. */
export interface Handler {
  readonly controller: Type;
  readonly handler: object;
  readonly name: string;
  readonly method: RequestMethod;
}

/** The handlers of all controllers, in the order of the modules. */
export function handlersOf(discovery: DiscoveryService): Handler[] {
  const scanner = new MetadataScanner();
  return discovery.getControllers().flatMap(({ metatype }) => {
    const controller = metatype as Type;
    const prototype = controller.prototype as Readonly<Record<string, object>>;
    return scanner.getAllMethodNames(prototype).flatMap((name) => {
      const handler = prototype[name];
      const method = handler && (Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined);
      return handler && method !== undefined ? [{ controller, handler, name, method }] : [];
    });
  });
}

/** What Nest records of a parameter of a handler. */
export interface Parameter {
  readonly index: number;
  readonly data?: unknown;
  readonly pipes?: readonly unknown[];
  /** Of a decorator that `createParamDecorator()` has made. */
  readonly factory?: object;
}

/** The parameters of a handler that have a decorator, by their kind and index: `3:0` is a body. */
export function parametersOf(handler: object, controller: Type): Readonly<Record<string, Parameter>> {
  return (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, nameOf(handler, controller)) ?? {}) as Record<
    string,
    Parameter
  >;
}

/** The class of the whole body that a handler takes, if it is one of a module. */
export const bodyClass = (handler: object, controller: Type): Type<object> | undefined =>
  classOf(RouteParamtypes.BODY, handler, controller);

/** The class of the whole query that a handler takes, which refuses unknown parameters. */
export const queryClass = (handler: object, controller: Type): Type<object> | undefined =>
  classOf(RouteParamtypes.QUERY, handler, controller);

function classOf(kind: RouteParamtypes, handler: object, controller: Type): Type<object> | undefined {
  const whole = Object.entries(parametersOf(handler, controller)).find(
    ([key, { data }]) => key.startsWith(`${kind}:`) && data === undefined,
  );
  if (!whole) return undefined;
  const type = typesOf(handler, controller)[whole[1].index];
  return typeof type === 'function' && !BUILT_IN.includes(type) ? (type as Type<object>) : undefined;
}

/** The types of all parameters of a handler, as TypeScript has written them into its metadata. */
export const typesOf = (handler: object, controller: Type): readonly unknown[] =>
  (Reflect.getMetadata('design:paramtypes', controller.prototype as object, nameOf(handler, controller)) ??
    []) as readonly unknown[];

/** Whether a handler takes a member of the body, as `@Body('name')`. */
export const takesMemberOfBody = (handler: object, controller: Type): boolean =>
  Object.entries(parametersOf(handler, controller)).some(
    ([key, { data }]) => key.startsWith(`${RouteParamtypes.BODY}:`) && data !== undefined,
  );

/** What TypeScript emits for a type that is no class of a module. */
const BUILT_IN: readonly unknown[] = [
  Object,
  String,
  Number,
  Boolean,
  BigInt,
  Symbol,
  Function,
  Array,
  Date,
  Buffer,
];

function nameOf(handler: object, controller: Type): string {
  const prototype = controller.prototype as Readonly<Record<string, object>>;
  return new MetadataScanner().getAllMethodNames(prototype).find((one) => prototype[one] === handler) ?? '';
}
