/** What one check has found. Only `fail` keeps the service from starting or from keeping its promises. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly finding: string;
  /** What to do about it; null where there is nothing to do. */
  readonly advice: string | null;
}

export const ok = (check: string, finding: string): Finding => ({
  check,
  state: 'ok',
  finding,
  advice: null,
});

export const warn = (check: string, finding: string, advice: string): Finding => ({
  check,
  state: 'warn',
  finding,
  advice,
});

export const fail = (check: string, finding: string, advice: string | null = null): Finding => ({
  check,
  state: 'fail',
  finding,
  advice,
});

/** An error in one line. A connection that was tried at several addresses has its reasons inside. */
export function reasonOf(error: unknown): string {
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return (inner instanceof Error ? inner.message : String(inner)).replace(/\s*\n\s*/g, ' ');
}

/** Where a URL leads, without user and password; one that was not encoded may reach into the path. */
export function whereTo(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`.replace(/^.*@/, '');
}
