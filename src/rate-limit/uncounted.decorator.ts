import { SetMetadata } from '@nestjs/common';

export const UNCOUNTED = 'rate-limit:uncounted';

export interface Uncounted {
  /** Requests of one key in a minute; further ones count against its plan. */
  readonly perMinute: number;
}

/** A route that is free for a valid key, up to so many requests a minute. Clients without a valid key are counted. */
export const UncountedUpTo = (allowance: Uncounted): MethodDecorator => SetMetadata(UNCOUNTED, allowance);
