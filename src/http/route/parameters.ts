import {
  Body,
  createParamDecorator,
  type ExecutionContext,
  Next,
  Param,
  Query,
  RawBody,
  Req,
  Res,
  type Type,
  UploadedFile,
  UploadedFiles,
} from '@nestjs/common';
import { PARAMTYPES_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
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

/** The number that Nest uses for each decorator, found by applying it to a probe. */
const SOURCES: ReadonlyMap<string, Source> = new Map([
  [numberOf(Body()), 'body'],
  [numberOf(RawBody()), 'rawBody'],
  [numberOf(Query()), 'query'],
  [numberOf(Param()), 'path'],
  [numberOf(Req()), 'request'],
  [numberOf(Res()), 'response'],
  [numberOf(Next()), 'next'],
  [numberOf(UploadedFile()), 'file'],
  [numberOf(UploadedFiles()), 'files'],
]);

function numberOf(decorator: ParameterDecorator): string {
  const Probe = class {};
  decorator(Probe.prototype, 'method', 0);
  return Object.keys(argumentsOf(Probe, 'method')).map(number).join();
}

/** The decorated parameters of a method. */
export function parametersOf(controller: Type, name: string): HandlerParameter[] {
  const prototype = controller.prototype as object;
  const types = (Reflect.getMetadata(PARAMTYPES_METADATA, prototype, name) ?? []) as unknown[];
  return Object.entries(argumentsOf(controller, name))
    .filter(([, { index }]) => index < types.length) // method decorators may add parameters
    .map(([key, { index, data, factory }]) => ({
      source: SOURCES.get(number(key)),
      data,
      type: types[index],
      factory,
    }));
}

function argumentsOf(controller: Type, name: string): Arguments {
  return (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Arguments;
}

/** The number of the decorator in a key such as `3:0`; the index of the parameter follows it. */
function number(key: string): string {
  return key.split(':', 1).join();
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
