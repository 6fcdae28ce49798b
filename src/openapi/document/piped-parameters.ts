import type { Type } from '@nestjs/common';
import { DECORATORS } from '@nestjs/swagger';
import { parametersOf } from '../../http/route/parameters.js';

const TEXT_LIKE: readonly unknown[] = [undefined, String, Number, Boolean, Date, Array, Object, BigInt];

interface Described {
  readonly in?: string;
  readonly name?: unknown;
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly schema?: { readonly type?: string };
}

/**
 * A pipe may make an object of a named parameter, such as the user with this id. The client sends a text;
 * `@nestjs/swagger` would describe the class, under a name that may be another schema's.
 */
export function describePipedParameters(controller: Type, handler: object, name: string): void {
  for (const { source, data, type } of parametersOf(controller, name)) {
    const isNamed = (source === 'path' || source === 'query') && typeof data === 'string';
    if (isNamed && !TEXT_LIKE.includes(type)) describe(controller, handler, source, data);
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
