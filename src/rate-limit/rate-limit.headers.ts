import { type RateLimitResult, type RateLimitWindow, tightestWindow } from './rate-limit.result.js';

/** Sets the headers of a result: those of the contract, and both windows in the form of the IETF draft "RateLimit header fields for HTTP". */
export function writeRateLimitHeaders(
  response: { setHeader(name: string, value: string | number): unknown },
  result: RateLimitResult,
): void {
  const { limit, remaining, resetAt } = tightestWindow(result);
  const { windows } = result;
  response.setHeader('X-RateLimit-Limit', limit);
  response.setHeader('X-RateLimit-Remaining', remaining);
  response.setHeader('X-RateLimit-Reset', Math.ceil(resetAt / 1000));
  response.setHeader('RateLimit-Policy', windows.map(policy).join(', '));
  response.setHeader('RateLimit', windows.map(state).join(', '));
}

/** Whole seconds to wait, rounded up, at least 1. */
export const wholeSeconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));

const policy = ({ name, limit, length }: RateLimitWindow): string => `"${name}";q=${limit};w=${length}`;
const state = ({ name, remaining, resetIn }: RateLimitWindow): string =>
  `"${name}";r=${remaining};t=${wholeSeconds(resetIn)}`;
