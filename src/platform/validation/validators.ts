import type { INestApplicationContext, Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { useContainer } from 'class-validator';
import { memoize } from '../http/memoize.js';

/** Lets class-validator constraints be Nest providers, with injected dependencies. The library creates others itself. */
export function provideValidators(app: INestApplicationContext): void {
  const modules = app.get(ModuleRef); // unlike the application, it does not log a failed lookup
  const get = memoize((type: Type): object | undefined => {
    try {
      return modules.get<object>(type, { strict: false });
    } catch {
      return undefined;
    }
  });
  useContainer({ get: get as (type: Type) => object }, { fallback: true });
}
