import { table } from '../../json/print.js';

/** The result of a check. `fail` means that the service does not start or does not work correctly. */
export interface CheckResult {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly finding: string;
  /** What to do, if anything. */
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

/** The message of an error on one line. A connection to a name with several addresses fails with an AggregateError. */
export function reasonOf(error: unknown): string {
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return (inner instanceof Error ? inner.message : String(inner)).replace(/\s*\n\s*/g, ' ');
}

/** The host and path of a URL. A password with an unencoded `/` would continue in the path, so removes it. */
export function addressOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`.replace(/^.*@/, '');
}

/** A table of the results, with the advice below each. */
export function resultsTable(results: readonly CheckResult[]): string {
  return table(
    ['STATE', 'CHECK', 'FINDING'],
    results.flatMap(({ state, check, finding, advice }) => [
      [state, check, finding],
      ...(advice === null ? [] : [['', '', `→ ${advice}`]]),
    ]),
  );
}
