import type { INestApplicationContext, Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { useContainer } from 'class-validator';

/**
 * Lets rules of class-validator be providers: one that asks a database gets its repository injected. What is not a
 * provider is made once, as class-validator does, which looks for it in a list of all rules at each use.
 */
export function provideValidators(app: INestApplicationContext): void {
  const modules = app.get(ModuleRef); // unlike the application it writes nothing to the log
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
