import { SetMetadata } from '@nestjs/common';

export const UNCOUNTED = 'rate-limit:uncounted';

export interface Uncounted {
  /** Requests of one key in a minute; further ones are charged to its plan. */
  readonly perMinute: number;
}

/** Makes a route free for a valid key, up to a number of requests a minute. Anonymous clients are counted. */
export const UncountedUpTo = (allowance: Uncounted): MethodDecorator => SetMetadata(UNCOUNTED, allowance);
