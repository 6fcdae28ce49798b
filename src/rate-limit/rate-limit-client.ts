import { minutes } from '../kernel/clock/duration.js';
import type { Int64 } from '../kernel/json/int64.js';

export const MINUTE = minutes(1);

/** The id of an API key, a network address, or the key of a throttler. */
export type ClientId = Int64 | string;

/** The client that a request is counted for, and its limits. An `ApiKeyPrincipal` is one. */
export interface RateLimitClient {
  readonly id: ClientId;
  readonly limits: {
    readonly perMinute: number;
    /** Absent: no day is counted. */
    readonly perDay?: number;
  };
  /** Length of the short window in milliseconds; default: a minute. */
  readonly period?: number;
}
