import { table } from '../print.js';

/** Only `fail` means that the service does not start, or does not keep its promises. */
export interface CheckResult {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly finding: string;
  /** What to do; null for nothing. */
  readonly advice: string | null;
}

export const ok = (check: string, finding: string): CheckResult => ({
  check,
  state: 'ok',
  finding,
  advice: null,
});

export const warn = (check: string, finding: string, advice: string): CheckResult => ({
  check,
  state: 'warn',
  finding,
  advice,
});

export const fail = (check: string, finding: string, advice: string | null = null): CheckResult => ({
  check,
  state: 'fail',
  finding,
  advice,
});

/** An error in one line. A connection to several addresses fails with an AggregateError. */
export function reasonOf(error: unknown): string {
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return (inner instanceof Error ? inner.message : String(inner)).replace(/\s*\n\s*/g, ' ');
}

/** Host and path of a URL. A password that is not encoded may reach into the path. */
export function addressOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`.replace(/^.*@/, '');
}

/** A table with the advice below each result. */
export function resultsTable(results: readonly CheckResult[]): string {
  return table(
    ['STATE', 'CHECK', 'FINDING'],
    results.flatMap(({ state, check, finding, advice }) => [
      [state, check, finding],
      ...(advice === null ? [] : [['', '', `→ ${advice}`]]),
    ]),
  );
}
