import type { Type } from '@nestjs/common';
import { PARAMTYPES_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { DECORATORS } from '@nestjs/swagger';

const PLACES = [
  { in: 'path', type: RouteParamtypes.PARAM },
  { in: 'query', type: RouteParamtypes.QUERY },
] as const;
const TEXT_LIKE: readonly unknown[] = [undefined, String, Number, Boolean, Date, Array, Object, BigInt];

interface Described {
  readonly in?: string;
  readonly name?: unknown;
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly schema?: { readonly type?: string };
}
type Arguments = Readonly<Record<string, { readonly index: number; readonly data?: unknown }>>;

/**
 * A pipe may make an object of a named parameter, such as the user with this id. The client sends a text;
 * `@nestjs/swagger` would describe the class, under a name that may be another schema's.
 */
export function describePipedParameters(controller: Type, handler: object, name: string): void {
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Arguments;
  const types = (Reflect.getMetadata(PARAMTYPES_METADATA, controller.prototype as object, name) ??
    []) as unknown[];
  for (const [key, { index, data }] of Object.entries(parameters)) {
    const place = PLACES.find(({ type }) => key.startsWith(`${type}:`));
    if (place && typeof data === 'string' && !TEXT_LIKE.includes(types[index]))
      describe(controller, handler, place.in, data);
  }
}

function describe(controller: Type, handler: object, place: string, name: string): void {
  const own = describedOn(handler);
  const isMeant = (one: Described) => one.in === place && one.name === name;
  const found = own.find(isMeant);
  if (found?.type !== undefined || found?.enum !== undefined) return;
  const { schema } = found ?? describedOn(controller).find(isMeant) ?? {};
  const described = { ...found, in: place, name, type: schema?.type ?? 'string' };
  Reflect.defineMetadata(
    DECORATORS.API_PARAMETERS,
    [...own.filter((one) => one !== found), described],
    handler,
  );
}

const describedOn = (target: object) =>
  (Reflect.getMetadata(DECORATORS.API_PARAMETERS, target) ?? []) as readonly Described[];
