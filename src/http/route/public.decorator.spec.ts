import type { ExecutionContext } from '@nestjs/common';
import { isPublic, Public } from './public.decorator.js';

@Public()
class PublicController {}

class PrivateController {}

/** Both controllers inherit it. */
const handler = (): void => undefined;

const contextOf = (controller: object) =>
  ({ getHandler: () => handler, getClass: () => controller }) as unknown as ExecutionContext; // all that is read

describe('@Public()', () => {
  it('applies to an inherited handler in its own controller only', () => {
    expect([PublicController, PrivateController].map((one) => isPublic(contextOf(one)))).toEqual([
      true,
      false,
    ]);
    expect(isPublic(contextOf(PublicController))).toBe(true);
  });
});
