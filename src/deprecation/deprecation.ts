import { memoize } from '../kernel/caching.js';

export interface Deprecation {
  /** First day of the deprecation, `YYYY-MM-DD`, from 00:00 UTC. */
  readonly since: string;
  /** Day of the removal, `YYYY-MM-DD`: responses are 410 from 00:00 UTC. */
  readonly sunset: string;
  /** Path of the replacement. */
  readonly successor: string;
  /** Description of the replacement. */
  readonly use: string;
  /** Path of the page that says more, default `/docs`. */
  readonly documentation?: string;
}

export const DEPRECATION = 'deprecation';

/** The deprecation of a handler, if any. */
export const deprecationOf = memoize(
  (handler) => Reflect.getMetadata(DEPRECATION, handler) as Deprecation | undefined,
);
