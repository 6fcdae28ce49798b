import { Reflector } from '@nestjs/core';

/** `@CatchAll(true)` marks a controller whose requests are refused whatever their body and headers are. */
export const CatchAll = Reflector.createDecorator<true | undefined>();

export const isCatchAll = (controller: object): boolean =>
  Reflect.getMetadata(CatchAll.KEY, controller) === true;
