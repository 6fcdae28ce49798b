import { type ExecutionContext, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';

interface Takes {
  query: boolean;
  anything: boolean;
}

const known = new WeakMap<object, Takes>();

/** Whether the handler has a `@Query()` parameter. */
export const takesQuery = (context: ExecutionContext): boolean => look(context).query;

/** Whether the handler is there for any method: what a request to it should have looked like, it knows best. */
export const takesAnything = (context: ExecutionContext): boolean => look(context).anything;

function look(context: ExecutionContext): Takes {
  const handler = context.getHandler();
  let takes = known.get(handler);
  if (!takes) known.set(handler, (takes = read(context.getClass(), handler)));
  return takes;
}

type Handler = ReturnType<ExecutionContext['getHandler']>;

function read(controller: object, handler: Handler): Takes {
  const metadata = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler.name) ?? {}) as object;
  const types = Object.keys(metadata).map((key) => Number(key.split(':')[0]));
  return {
    query: types.includes(RouteParamtypes.QUERY),
    anything: Reflect.getMetadata(METHOD_METADATA, handler) === RequestMethod.ALL,
  };
}
