import { Option } from 'commander';
import { StartupError } from '../../kernel/errors/common.errors.js';
import { type Limits, type Plan, PLAN_NAMES } from '../../auth/plans.js';
import { type Scope, SCOPES } from '../../auth/scopes.js';
import { expiry, keyName, positive, scopes } from './key-arguments.js';

/** What a key is made of, and what of it can be changed. */
export interface KeyOptions extends Partial<Limits> {
  readonly plan?: Plan;
  readonly name?: string;
  readonly expires?: Date | 'never';
  readonly scopes?: Scope[] | 'all';
}

export const planOption = () => new Option('--plan <plan>', 'what it may ask for').choices(PLAN_NAMES);

export const nameOption = () => new Option('--name <name>', 'whom or what it is for').argParser(keyName);

/** In the order of the help. */
export const furtherOptions = (): Option[] => [
  new Option('--per-minute <n>', 'requests per minute, for enterprise').argParser(positive),
  new Option('--per-day <n>', 'requests per UTC day, for enterprise').argParser(positive),
  new Option(
    '--expires <when>',
    'its end: 90d from now, 2030-06-30, 2030-06-30T18:00:00Z or never',
  ).argParser(expiry),
  new Option('--scopes <list>', 'what it may do: several with commas between')
    .choices(['all', ...SCOPES]) // for the help and the completion
    .argParser(scopes),
];

/** `null` for a key that never expires, and for every scope, those of later modules included. */
export const endAndScopes = ({ expires, scopes }: KeyOptions) => ({
  expiresAt: expires === 'never' ? null : expires,
  scopes: scopes === 'all' ? null : scopes,
});

/** The limits that belong to a plan: both with enterprise, none with any other. @throws StartupError */
export function customLimits(plan: Plan, { perMinute, perDay }: Partial<Limits>): Limits | null {
  if (plan !== 'enterprise') {
    if (perMinute === undefined && perDay === undefined) return null;
    throw new StartupError(
      `The limits of the ${plan} plan are fixed: --per-minute and --per-day are for enterprise.`,
    );
  }
  if (perMinute !== undefined && perDay !== undefined) return { perMinute, perDay };
  throw new StartupError('An enterprise key needs both --per-minute and --per-day.');
}
