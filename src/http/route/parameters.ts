import { createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import { PARAMTYPES_METADATA, ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal.js';
import type { Request } from 'express';

/** A handler's parameter with a decorator. */
export interface HandlerParameter {
  /** `undefined` for other decorators, such as `@Headers()` and those from `createParamDecorator()`. */
  readonly source: Source | undefined;
  /** The argument of the decorator, such as the name of a query parameter. */
  readonly data: unknown;
  /** The class of the parameter, from the metadata that TypeScript emits. */
  readonly type: unknown;
  /** The function passed to `createParamDecorator()`. */
  readonly factory: unknown;
}

type Arguments = Readonly<
  Record<string, { readonly index: number; readonly data?: unknown; readonly factory?: unknown }>
>;
type Source = 'body' | 'rawBody' | 'query' | 'path' | 'request' | 'response' | 'next' | 'file' | 'files';

const SOURCES: Readonly<Record<string, Source>> = {
  [RouteParamtypes.BODY]: 'body',
  [RouteParamtypes.RAW_BODY]: 'rawBody',
  [RouteParamtypes.QUERY]: 'query',
  [RouteParamtypes.PARAM]: 'path',
  [RouteParamtypes.REQUEST]: 'request',
  [RouteParamtypes.RESPONSE]: 'response',
  [RouteParamtypes.NEXT]: 'next',
  [RouteParamtypes.FILE]: 'file',
  [RouteParamtypes.FILES]: 'files',
};

/** The decorated parameters of a method. */
export function parametersOf(controller: Type, name: string): HandlerParameter[] {
  const prototype = controller.prototype as object;
  const types = (Reflect.getMetadata(PARAMTYPES_METADATA, prototype, name) ?? []) as unknown[];
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Arguments;
  return Object.entries(args)
    .filter(([, { index }]) => index < types.length) // method decorators may add parameters
    .map(([key, { index, data, factory }]) => ({
      source: SOURCES[key.split(':', 1).join()], // a key such as `3:0`: the decorator, and the index of the parameter
      data,
      type: types[index],
      factory,
    }));
}

const factories = new WeakSet<object>();

/**
 * `createParamDecorator()` for a part of the request other than the query. Handlers that use it still reject unknown query
 * parameters.
 */
export function createRequestPartDecorator(read: (request: Request) => unknown): () => ParameterDecorator {
  const factory = (_: unknown, context: ExecutionContext) =>
    read(context.switchToHttp().getRequest<Request>());
  factories.add(factory);
  return createParamDecorator(factory);
}

/** Whether the decorator of a parameter may read the query. */
export const mayReadQuery = ({ source, factory }: HandlerParameter): boolean =>
  source === 'request' || (typeof factory === 'function' && !factories.has(factory));
