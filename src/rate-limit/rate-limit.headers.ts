import { type QuotaWindow, tightestWindow } from './decision.js';
import type { Verdict } from './decision.js';

/**
 * Puts a decision into the headers of its response: the three of the contract, which are about the plan alone, and every
 * window in the form of the IETF draft "RateLimit header fields for HTTP".
 */
export function writeRateLimitHeaders(
  response: { setHeader(name: string, value: string | number): unknown },
  verdict: Verdict,
): void {
  const { limit, remaining, resetAt } = tightestWindow(verdict);
  const windows = verdict.throttlers ? [...verdict.windows, ...verdict.throttlers] : verdict.windows;
  response.setHeader('X-RateLimit-Limit', limit);
  response.setHeader('X-RateLimit-Remaining', remaining);
  response.setHeader('X-RateLimit-Reset', Math.ceil(resetAt / 1000));
  response.setHeader('RateLimit-Policy', windows.map(policy).join(', '));
  response.setHeader('RateLimit', windows.map(state).join(', '));
}

/** Whole seconds to wait, rounded up, at least 1. */
export const wholeSeconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));

const policy = ({ name, limit, length }: QuotaWindow): string => `"${name}";q=${limit};w=${length}`;
const state = ({ name, remaining, resetIn }: QuotaWindow): string =>
  `"${name}";r=${remaining};t=${wholeSeconds(resetIn)}`;
