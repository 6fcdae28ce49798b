import { SetMetadata } from '@nestjs/common';

export const FREE_ALLOWANCE = 'rate-limit:free-allowance';

export interface Allowance {
  /** Requests of one key in a minute; further ones are charged to its plan. */
  readonly perMinute: number;
}

/** Makes a route free for a valid key, up to a number of requests a minute. Anonymous clients are counted. */
export const FreeAllowance = (allowance: Allowance): MethodDecorator =>
  SetMetadata(FREE_ALLOWANCE, allowance);
