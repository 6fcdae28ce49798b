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

/** A parameter of a handler that has a decorator of Nest. */
export interface HandlerParameter {
  /** `undefined` for other decorators, such as `@Headers()` and those made by `createParamDecorator()`. */
  readonly source: Source | undefined;
  /** The argument of the decorator, such as the name of a query parameter. */
  readonly data: unknown;
  /** The class or type of the parameter, as TypeScript emits it. */
  readonly type: unknown;
  /** The function given to `createParamDecorator()`. */
  readonly factory: unknown;
}

type Arguments = Readonly<
  Record<string, { readonly index: number; readonly data?: unknown; readonly factory?: unknown }>
>;
type Source = 'body' | 'rawBody' | 'query' | 'path' | 'request' | 'response' | 'next' | 'file' | 'files';

/** Nest's own number of each decorator, read from a method that has it. */
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

/** Of the method with this name. */
export function parametersOf(controller: Type, name: string): HandlerParameter[] {
  const prototype = controller.prototype as object;
  const types = (Reflect.getMetadata(PARAMTYPES_METADATA, prototype, name) ?? []) as unknown[];
  return Object.entries(argumentsOf(controller, name))
    .filter(([, { index }]) => index < types.length) // a decorator of the method may have added one
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

/** Of a key such as `3:0`, which has the number of the decorator and the index of the parameter. */
function number(key: string): string {
  return key.split(':', 1).join();
}

const factories = new WeakSet<object>();

/**
 * `createParamDecorator()` for a part of the request other than its query: the handler still refuses query parameters that
 * it does not name.
 */
export function createRequestPartDecorator(read: (request: Request) => unknown): () => ParameterDecorator {
  const factory = (_: unknown, context: ExecutionContext) =>
    read(context.switchToHttp().getRequest<Request>());
  factories.add(factory);
  return createParamDecorator(factory);
}

/** Whether the decorator of a parameter may read the query of the request by itself. */
export const mayReadQuery = ({ source, factory }: HandlerParameter): boolean =>
  source === 'request' || (typeof factory === 'function' && !factories.has(factory));
