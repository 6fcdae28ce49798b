import { type ExecutionContext, SetMetadata, type Type } from '@nestjs/common';
import { INTERCEPTORS_METADATA } from '@nestjs/common/internal.js';
import { MetadataScanner } from '@nestjs/core';
import { DECORATORS } from '@nestjs/swagger';
import { memoizePair } from '../../kernel/caching.js';
import { dtoSchema } from '../validation/dto-schema.js';
import { type HandlerParameter, mayReadQuery, parametersOf } from './parameters.js';

/** What the decorators of a route say about its requests. */
export interface RouteMetadata {
  /** The catch-all route for requests that no other route handles. */
  readonly isCatchAll: boolean;
  /** The handler has a `@Body()` parameter. */
  readonly body: boolean;
  /** The handler has a `@RawBody()` parameter. */
  readonly rawBody: boolean;
  /** An interceptor, such as `FileInterceptor()`, may read a multipart body. */
  readonly multipart: boolean;
  /** The media types in its `@ApiConsumes()`. */
  readonly consumes: readonly string[] | undefined;
  /** The names of its query parameters; `undefined` if the handler may read any. */
  readonly query: ReadonlySet<string> | undefined;
}

const CATCH_ALL = 'petstore:catch-all';

/** Marks a controller whose requests skip the checks of query, body and `Accept`. */
export const CatchAll = (): ClassDecorator => SetMetadata(CATCH_ALL, true);

type Handler = ReturnType<ExecutionContext['getHandler']>;

const metadataOf = memoizePair(read);

export const routeMetadata = (context: ExecutionContext): RouteMetadata =>
  metadataOf(context.getClass(), context.getHandler());

function read(controller: Type, handler: Handler): RouteMetadata {
  const parameters = parametersOf(controller, methodName(controller, handler));
  const bodies = parameters.filter(({ source }) => source === 'body');
  const takesFiles = parameters.some(({ source }) => source === 'file' || source === 'files');
  const hasInterceptor = all<unknown>(INTERCEPTORS_METADATA, controller, handler).length > 0;
  return {
    isCatchAll: Reflect.getMetadata(CATCH_ALL, controller) === true,
    body: bodies.length > 0,
    rawBody: parameters.some(({ source }) => source === 'rawBody'),
    multipart: takesFiles || (hasInterceptor && !bodies.some(({ type }) => dtoSchema(type))),
    consumes: consumed(handler) ?? consumed(controller),
    query: queryNames(parameters, all(DECORATORS.API_PARAMETERS, controller, handler)),
  };
}

const consumed = (target: object) =>
  Reflect.getMetadata(DECORATORS.API_CONSUMES, target) as readonly string[] | undefined;

/** The property that holds the handler: a decorator may have replaced the method by a function with another name. */
function methodName(controller: Type, handler: Handler): string {
  const prototype = controller.prototype as Readonly<Record<string, unknown>>;
  const names = new MetadataScanner().getAllMethodNames(prototype);
  return names.find((name) => prototype[name] === handler) ?? handler.name;
}

function queryNames(
  parameters: readonly HandlerParameter[],
  documented: readonly { readonly in?: string; readonly name?: unknown }[],
): ReadonlySet<string> | undefined {
  const names: unknown[] = [
    ...parameters.filter(({ source }) => source === 'query').map(({ data }) => data),
    ...documented.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
  ];
  return parameters.some(mayReadQuery) || !names.every(isString) ? undefined : new Set(names);
}

function all<T>(key: string, ...of: readonly object[]): T[] {
  return of.flatMap((target) => (Reflect.getMetadata(key, target) ?? []) as T[]);
}

const isString = (value: unknown): value is string => typeof value === 'string';
