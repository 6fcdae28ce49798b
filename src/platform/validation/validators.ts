import type { INestApplicationContext, Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { useContainer } from 'class-validator';

/** Lets class-validator constraints be Nest providers, with injected dependencies. The library creates others itself. */
export function provideValidators(app: INestApplicationContext): void {
  const modules = app.get(ModuleRef); // unlike the application, it does not log a failed lookup
  const known = new Map<Type, object | undefined>();
  const get = (type: Type): object | undefined => {
    if (!known.has(type)) known.set(type, provided(modules, type));
    return known.get(type);
  };
  useContainer({ get: get as (type: Type) => object }, { fallback: true });
}

function provided(modules: ModuleRef, type: Type): object | undefined {
  try {
    return modules.get<object>(type, { strict: false });
  } catch {
    return undefined;
  }
}
