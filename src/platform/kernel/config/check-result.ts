import { StartupError } from './startup-error.js';

/** What a check has found. `fail` means that the service does not start, or does not work correctly. */
export interface CheckResult {
  /** What was checked, in a word or two. */
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

export const fail = (check: string, finding: string, advice: string | null): CheckResult => ({
  check,
  state: 'fail',
  finding,
  advice,
});

/** What a check has thrown. Of an error of ours the first sentence is the finding, the rest is advice. */
export function failureOf(check: string, error: unknown): CheckResult {
  const { message } = error as Error;
  if (!(error instanceof StartupError)) return fail(check, message, null);
  const [finding = '', ...advice] = message.split(/(?<=\.)\s+/);
  return fail(check, finding, advice.join(' ') || null);
}

/** The result as the start says it. */
export const sentenceOf = ({ finding, advice }: CheckResult): string =>
  [/[.!?]$/.test(finding) ? finding : `${finding}.`, advice ?? ''].join(' ').trim();
