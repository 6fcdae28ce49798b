import type { ExecutionContext } from '@nestjs/common';
import { isPublic, Public } from './public.decorator.js';

@Public()
class PublicController {}

class PrivateController {}

/** A handler that both controllers inherit. */
const handler = (): void => undefined;

const contextOf = (controller: object) =>
  ({ getHandler: () => handler, getClass: () => controller }) as unknown as ExecutionContext; // all that is read

describe('@Public()', () => {
  it('on a controller does not affect another controller that inherits the same handler', () => {
    expect([PublicController, PrivateController].map((one) => isPublic(contextOf(one)))).toEqual([
      true,
      false,
    ]);
    expect(isPublic(contextOf(PublicController))).toBe(true);
  });
});
