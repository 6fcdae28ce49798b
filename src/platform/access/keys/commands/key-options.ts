import { InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../../../kernel/config/startup-error.js';
import { isDay } from '../../../http/validation/property.decorators.js';
import { isCustom, type Limits, type Plan, planEntries, planNames } from '../../plans/plans.js';
import { type Scope, SCOPES } from '../scopes.js';
import { parseInt64 } from '../../../kernel/json/int64.js';
import { isSecret, MAX_OVERLAP } from '../secret.js';
import { duration, wholeNumber } from '../../../kernel/terminal/arguments.js';
import { isVisible } from '../../../kernel/terminal/print.js';
import { service } from '../../../kernel/config/service.js';

export function keyId(id: string) {
  const parsed = parseInt64(id);
  if (parsed !== undefined) return parsed;
  if (isSecret(id))
    throw new UsageError(`This is a key, not an id. ${service().program} keys list shows the ids.`);
  throw new UsageError(
    `${JSON.stringify(id)} is not a key id. Ids are whole numbers; ${service().program} keys list shows them.`,
  );
}

function keyName(value: string): string {
  const length = Array.from(value).length;
  if (length >= 1 && length <= 200 && value.trim() !== '' && isVisible(value)) return value;
  throw new InvalidArgumentError('A name has 1 to 200 visible characters, not only white space.');
}

const positive = wholeNumber(2_147_483_647);
/** Parses a duration from 0 to `MAX_OVERLAP` to milliseconds. */
export function overlap(value: string): number {
  const milliseconds = /^0[smhd]?$/.test(value) ? 0 : duration(value);
  if (milliseconds <= MAX_OVERLAP) return milliseconds;
  throw new InvalidArgumentError('It must be a duration such as 90s, 15m, 2h or 7d, at most 30d.');
}

/** Parses a time in the future: a duration from now, a time in ISO 8601, or `never`. */
function expiry(value: string): Date | 'never' {
  if (value === 'never') return value;
  const date = /^\d+[smhd]$/.test(value) ? new Date(Date.now() + duration(value)) : instant(value);
  if (date && date.getTime() > Date.now()) return date;
  throw new InvalidArgumentError(
    'It must be a time in the future, such as 90d, 2030-06-30 or 2030-06-30T18:00:00Z, or never.',
  );
}

/** A later one has more digits than ISO 8601 has. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59);

/** Parses a date (00:00 UTC) or a time with its offset from UTC. */
function instant(value: string): Date | undefined {
  const [, day] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.exec(value) ?? [];
  const date = new Date(value);
  return isDay(day) && date.getTime() <= LATEST ? date : undefined; // not NaN
}

/** Parses `pets:read,orders:read` or `all`. */
function scopes(value: string): Scope[] | 'all' {
  if (value === 'all') return value;
  const names = value.split(',').map((name) => name.trim());
  const known = SCOPES.filter((scope) => names.includes(scope));
  if (names.every((name) => SCOPES.some((scope) => scope === name))) return known;
  throw new InvalidArgumentError(`It must be all, or a comma-separated list of ${SCOPES.join(', ')}.`);
}

/** The options to create or change a key. */
export interface KeyOptions extends Partial<Limits> {
  readonly plan?: Plan;
  readonly name?: string;
  readonly expires?: Date | 'never';
  readonly scopes?: Scope[] | 'all';
}

/** The plans whose keys have limits of their own, for a sentence. */
const customPlans = (): string =>
  planEntries()
    .filter(([plan]) => isCustom(plan))
    .map(([plan]) => plan)
    .join(' or ');

/** None, if no plan is custom. */
function limitOptions(): Option[] {
  const plans = customPlans();
  if (plans === '') return [];
  return [
    new Option('--per-minute <n>', `requests per minute, for ${plans}`).argParser(positive),
    new Option('--per-day <n>', `requests per UTC day, for ${plans}`).argParser(positive),
  ];
}

/** In the order of the help. */
export const keyOptions = (): Option[] => [
  new Option('--plan <plan>', 'plan of the key').choices(planNames()),
  new Option('--name <name>', 'person or program that uses the key').argParser(keyName),
  ...limitOptions(),
  new Option(
    '--expires <when>',
    'when the key expires: 90d (from now), 2030-06-30, 2030-06-30T18:00:00Z or never',
  ).argParser(expiry),
  new Option('--scopes <list>', 'comma-separated scopes of the key')
    .choices(['all', ...SCOPES]) // for help
    .argParser(scopes),
];

/** `null` means that the key never expires, or has all scopes, including future ones. */
export const expiryAndScopes = ({ expires, scopes }: KeyOptions) => ({
  expiresAt: expires === 'never' ? null : expires,
  scopes: scopes === 'all' ? null : scopes,
});

/** Requires both limits for a custom plan, and none for others. @throws UsageError */
export function customLimits(plan: Plan, { perMinute, perDay }: Partial<Limits>): Limits | null {
  if (!isCustom(plan)) {
    if (perMinute === undefined && perDay === undefined) return null;
    throw new UsageError(
      `The limits of the ${plan} plan are fixed. Only ${customPlans()} accepts --per-minute and --per-day.`,
    );
  }
  if (perMinute !== undefined && perDay !== undefined) return { perMinute, perDay };
  const article = /^[aeiou]/.test(plan) ? 'An' : 'A';
  throw new UsageError(`${article} ${plan} key needs both --per-minute and --per-day.`);
}
