import type { INestApplicationContext, Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { useContainer } from 'class-validator';

/** Lets class-validator constraints be Nest providers, with injected dependencies. Other constraints are created once. */
export function provideValidators(app: INestApplicationContext): void {
  const modules = app.get(ModuleRef); // unlike the application, it does not log a failed lookup
  const instances = new Map<Type, object>();
  useContainer({
    get(type: Type): object {
      let instance = instances.get(type);
      if (!instance) instances.set(type, (instance = provided(modules, type) ?? (new type() as object)));
      return instance;
    },
  });
}

function provided(modules: ModuleRef, type: Type): object | undefined {
  try {
    return modules.get<object>(type, { strict: false });
  } catch {
    return undefined;
  }
}
