import { type ExecutionContext, SetMetadata, type Type } from '@nestjs/common';
import {
  CUSTOM_ROUTE_ARGS_METADATA,
  INTERCEPTORS_METADATA,
  PARAMTYPES_METADATA,
  ROUTE_ARGS_METADATA,
  SELF_DECLARED_DEPS_METADATA,
} from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { MULTER_MODULE_OPTIONS } from '@nestjs/platform-express/multer/files.constants.js';
import { DECORATORS } from '@nestjs/swagger';
import { memoizePair } from '../kernel/memoize.js';
import { readsNoQuery } from './request-part.decorator.js';

/** The requests of a route, as its decorators describe them. */
export interface RouteMetadata {
  /** The catch-all route for requests that no other route handles. */
  readonly isCatchAll: boolean;
  /** A parameter of its handler is the body, or a part of it. */
  readonly body: boolean;
  /** A parameter of its handler is the raw body. */
  readonly rawBody: boolean;
  /** An interceptor of `@nestjs/platform-express` reads a multipart body. */
  readonly multipart: boolean;
  /** The media types in its `@ApiConsumes()`. */
  readonly consumes: readonly string[] | undefined;
  /** Its query parameters; `undefined` where the handler does not determine them. */
  readonly query: ReadonlySet<string> | undefined;
}

const CATCH_ALL = 'petstore:catch-all';

/** A controller without checks of query, body and `Accept`. */
export const CatchAll = (): ClassDecorator => SetMetadata(CATCH_ALL, true);

type Handler = ReturnType<ExecutionContext['getHandler']>;

const metadataOf = memoizePair(read);

export const routeMetadata = (context: ExecutionContext): RouteMetadata =>
  metadataOf(context.getClass(), context.getHandler());

function read(controller: Type, handler: Handler): RouteMetadata {
  const parameters = parametersOf(controller, handler);
  const has = (type: number) => parameters.some((parameter) => parameter.type === type);
  return {
    isCatchAll: Reflect.getMetadata(CATCH_ALL, controller) === true,
    body: has(RouteParamtypes.BODY),
    rawBody: has(RouteParamtypes.RAW_BODY),
    multipart: all<unknown>(INTERCEPTORS_METADATA, controller, handler).some(isMulter),
    consumes: consumed(handler) ?? consumed(controller),
    query: queryNames(parameters, all(DECORATORS.API_PARAMETERS, controller, handler)),
  };
}

const consumed = (target: object) =>
  Reflect.getMetadata(DECORATORS.API_CONSUMES, target) as readonly string[] | undefined;

const REQUEST: number = RouteParamtypes.REQUEST;
const QUERY: number = RouteParamtypes.QUERY;

interface Parameter {
  /** `undefined` for a decorator made by `createParamDecorator()`. */
  readonly type: number | undefined;
  /** The argument of the decorator, such as the name of a query parameter. */
  readonly data: unknown;
  /** Of a decorator made by `createParamDecorator()`. */
  readonly factory: unknown;
}

/** A decorator that wraps the method gives it a function with another name. */
function methodName(controller: Type, handler: Handler): string {
  for (
    let prototype = controller.prototype as object | null;
    prototype;
    prototype = Object.getPrototypeOf(prototype) as object | null
  ) {
    const found = Object.entries(Object.getOwnPropertyDescriptors(prototype)).find(
      ([, { value }]) => value === handler,
    );
    if (found) return found[0];
  }
  return handler.name;
}

type RouteArguments = Record<
  string,
  { readonly index: number; readonly data?: unknown; readonly factory?: unknown }
>;

function parametersOf(controller: Type, handler: Handler): Parameter[] {
  const name = methodName(controller, handler);
  const found = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) as RouteArguments | undefined;
  const own = (Reflect.getMetadata(PARAMTYPES_METADATA, controller.prototype as object, name) ??
    []) as unknown[];
  return Object.entries(found ?? {})
    .filter(([, { index }]) => index < own.length) // a decorator of the handler may have added one
    .map(([key, { data, factory }]) => ({
      type: key.includes(CUSTOM_ROUTE_ARGS_METADATA) ? undefined : Number.parseInt(key),
      data,
      factory,
    }));
}

function queryNames(
  parameters: readonly Parameter[],
  documented: readonly { readonly in?: string; readonly name?: unknown }[],
): ReadonlySet<string> | undefined {
  const seesWholeRequest = parameters.some(
    ({ type, factory }) => type === REQUEST || (type === undefined && !readsNoQuery(factory)),
  );
  const names: unknown[] = [
    ...parameters.filter(({ type }) => type === QUERY).map(({ data }) => data),
    ...documented.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
  ];
  return seesWholeRequest || !names.every(isString) ? undefined : new Set(names);
}

/** `FileInterceptor()` and its like return classes that only their injected options identify. */
function isMulter(interceptor: unknown): boolean {
  if (typeof interceptor !== 'function') return false;
  const injected = (Reflect.getMetadata(SELF_DECLARED_DEPS_METADATA, interceptor) ?? []) as {
    param: unknown;
  }[];
  return injected.some(({ param }) => param === MULTER_MODULE_OPTIONS);
}

function all<T>(key: string, ...of: readonly object[]): T[] {
  return of.flatMap((target) => (Reflect.getMetadata(key, target) ?? []) as T[]);
}

const isString = (value: unknown): value is string => typeof value === 'string';
