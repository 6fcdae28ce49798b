import 'reflect-metadata';

/** What TypeScript emits for `@First() @Second() class Target {}`. */
export function onClass(Target, ...decorators) {
  Reflect.decorate(decorators, Target);
}

/** Decorates a property of a DTO. */
export function onProperty(Target, name, ...decorators) {
  for (const decorator of decorators.reverse()) decorator(Target.prototype, name);
}

/** Decorates a method; `parameters` contains a pair `[decorator, type]` for each parameter. */
export function onMethod(Target, name, decorators, parameters) {
  const { prototype } = Target;
  parameters.forEach(([decorator], index) => decorator(prototype, name, index));
  const types = parameters.map(([, type]) => type);
  Reflect.defineMetadata('design:paramtypes', types, prototype, name);
  const method = Object.getOwnPropertyDescriptor(prototype, name);
  Reflect.decorate(decorators, prototype, name, method);
}
