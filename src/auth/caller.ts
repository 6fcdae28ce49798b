import type { Limits, Plan } from './plans.js';

/** Who sent a request, as far as its `Authorization` header tells. */
export type Caller = KeyHolder | Stranger;

export interface KeyHolder {
  readonly kind: 'key';
  /** The key's id, which rotation and a change of plan keep. */
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  readonly limits: Limits;
  /** Unix milliseconds; the key is refused from then on. */
  readonly expiresAt?: number;
}

/** A caller without a valid key. */
export interface Stranger {
  readonly kind: 'stranger';
  /** Whether something was sent as a key. */
  readonly sentKey: boolean;
}

declare module 'express-serve-static-core' {
  interface Request {
    /** Set by `CallerGuard`, the first step of every request under `/v1`. */
    caller?: Caller;
  }
}
