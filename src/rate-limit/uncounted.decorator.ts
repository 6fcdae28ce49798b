import { SetMetadata } from '@nestjs/common';

const UNCOUNTED = 'rate-limit:uncounted';

interface Uncounted {
  /** Requests of one key in a minute; further ones count against its plan. */
  readonly perMinute: number;
}

/** A route that is free for a valid key, up to so many requests a minute. Clients without a valid key are counted. */
export const UncountedUpTo = (allowance: Uncounted): MethodDecorator => SetMetadata(UNCOUNTED, allowance);

export const uncountedOn = (handler: object): Uncounted | undefined =>
  Reflect.getMetadata(UNCOUNTED, handler) as Uncounted | undefined;
