import type { ExecutionContext } from '@nestjs/common';
import { RouteParamtypes } from '../../http/core/nest-metadata.js';
import { DECORATORS } from '@nestjs/swagger';
import type { Request } from 'express';
import { type Parameter, parametersOf } from '../../http/core/handlers.js';
import { perHandler } from '../../http/core/per-handler.js';
import { ignoresQuery } from '../../http/core/request-parameter.js';
import { parseInt64 } from '../../kernel/json/int64.js';
import { IdPipe } from '../../http/validation/id.decorator.js';

/** What a handler reads of the target of a request. */
interface Reads {
  /** The segments of its route that are ids, such as `:petId`. */
  readonly ids: ReadonlySet<string>;
  /** The parameters of the query that it takes by their names; `undefined` if it may read all of them. */
  readonly query: ReadonlySet<string> | undefined;
}

/**
 * The path and query of a request in the spelling that all equal ones share: the route with its parameters,
 * ids without leading zeros, then the parameters of the query that the operation does not ignore, sorted by
 * name.
 */
export function targetOf(request: Request, context: ExecutionContext): string {
  const { ids, query } = readsOf(context);
  const path = pathOf(request, ids);
  const parameters = queryOf(request, query);
  return parameters === '' ? path : `${path}?${parameters}`;
}

function pathOf(request: Request, ids: ReadonlySet<string>): string {
  const { path: route } = request.route as { readonly path: string };
  const pattern = route.split('/');
  const segments = request.path.replace(/\/$/, '').split('/');
  const isAligned = segments.length === pattern.length; // a wildcard may stand for several segments
  const spelled = segments.map((segment, i) => {
    const text = decodeURIComponent(segment);
    const id = isAligned && ids.has(pattern[i] ?? '') ? parseInt64(text) : undefined;
    return encodeURIComponent(String(id ?? text));
  });
  return spelled.join('/');
}

function queryOf({ url }: Request, names: ReadonlySet<string> | undefined): string {
  const start = url.indexOf('?');
  if (start < 0 || names?.size === 0) return '';
  const parameters = new URLSearchParams(url.slice(start + 1));
  if (names) for (const name of new Set(parameters.keys())) if (!names.has(name)) parameters.delete(name);
  parameters.sort(); // stable: the values of one name keep their order
  return parameters.toString();
}

const readsOf = perHandler((handler, controller): Reads => {
  const parameters = Object.entries(parametersOf(handler, controller));
  const ofType = (type: RouteParamtypes) =>
    parameters.filter(([key]) => key.startsWith(`${type}:`)).map(([, parameter]) => parameter);
  const isId = ({ pipes = [] }: Parameter) => pipes.some((pipe) => pipe instanceof IdPipe);
  const named = ofType(RouteParamtypes.QUERY).map(({ data }) => data);
  const readsAll =
    named.some((name) => typeof name !== 'string') ||
    ofType(RouteParamtypes.REQUEST).length > 0 ||
    ofType(RouteParamtypes.RESPONSE).length > 0 ||
    parameters.some(([, { factory }]) => factory !== undefined && !ignoresQuery(factory)) ||
    isDocumented(handler, controller);
  return {
    ids: new Set(
      ofType(RouteParamtypes.PARAM)
        .filter(isId)
        .map(({ data }) => `:${String(data)}`),
    ),
    query: readsAll ? undefined : new Set(named as string[]),
  };
});

/** `@ApiQuery()`, by which an author names what a guard or an interceptor reads. */
const isDocumented = (handler: object, controller: object): boolean =>
  [handler, controller].some((target) => {
    const parameters = (Reflect.getMetadata(DECORATORS.API_PARAMETERS, target) ?? []) as { in?: string }[];
    return parameters.some((parameter) => parameter.in === 'query');
  });
