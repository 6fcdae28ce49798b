import type { ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';

interface Takes {
  body: boolean;
  query: boolean;
}

const known = new WeakMap<object, Takes>();

/** Whether the handler has a `@Body()` parameter. */
export const takesBody = (context: ExecutionContext): boolean => look(context).body;

/** Whether the handler has a `@Query()` parameter. */
export const takesQuery = (context: ExecutionContext): boolean => look(context).query;

function look(context: ExecutionContext): Takes {
  const handler = context.getHandler();
  let takes = known.get(handler);
  if (!takes) known.set(handler, (takes = read(context.getClass(), handler.name)));
  return takes;
}

function read(controller: object, handler: string): Takes {
  const metadata = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler) ?? {}) as object;
  const types = Object.keys(metadata).map((key) => Number(key.split(':')[0]));
  return { body: types.includes(RouteParamtypes.BODY), query: types.includes(RouteParamtypes.QUERY) };
}
