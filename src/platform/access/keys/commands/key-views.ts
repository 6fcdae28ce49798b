import { type ApiKey, previousSecretEnd } from '../api-key.entity.js';
import { table } from '../../../kernel/terminal/print.js';
import { service } from '../../../kernel/config/service.js';

/** A key for `--json`. */
export function describeKey(key: ApiKey) {
  return {
    id: key.id,
    name: key.name,
    plan: key.plan,
    perMinute: key.limits?.perMinute ?? null,
    perDay: key.limits?.perDay ?? null,
    scopes: key.scopes ?? 'all',
    prefix: key.prefix,
    lastFour: key.lastFour,
    createdAt: key.createdAt,
    expiresAt: key.expiresAt,
    revokedAt: key.revokedAt,
    lastUsedAt: key.lastUsedAt,
    bannedUntil: ifFuture(key.banEndsAt),
    oldSecretEndsAt: oldSecretEnd(key),
  };
}

type Column = readonly [head: string, cell: (key: ApiKey) => string];

/** Columns that usually fit into 80 characters. `keys show` has everything about one key. */
const COLUMNS: readonly Column[] = [
  ['ID', ({ id }) => String(id)],
  ['NAME', ({ name }) => shortened(name)],
  ['PLAN', ({ plan }) => plan],
  ['MINUTE/DAY', ({ limits }) => (limits ? `${limits.perMinute}/${limits.perDay}` : 'unknown')],
  ['KEY', ({ lastFour }) => `…${lastFour}`],
  ['LAST USED', ({ lastUsedAt }) => (lastUsedAt ? day(lastUsedAt) : 'never')],
  ['STATE', (key) => state(key).replace(/^banned .*/, 'banned')],
];

export function keysTable(keys: readonly ApiKey[]): string {
  if (keys.length === 0) return `There are no keys yet. ${service().program} keys create creates one.`;
  return table(
    COLUMNS.map(([head]) => head),
    keys.map((key) => COLUMNS.map(([, cell]) => cell(key))),
  );
}

const MAX_NAME = 22;

function shortened(name: string): string {
  if (name.length <= MAX_NAME) return name;
  const cut = name.slice(0, MAX_NAME - 1);
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`;
}

const limitsText = ({ limits }: ApiKey): string =>
  limits ? `${limits.perMinute} per minute, ${limits.perDay} per day` : 'unknown to this version';

export function keyDetails(key: ApiKey): string {
  const oldEndsAt = oldSecretEnd(key);
  return table(
    ['ID', String(key.id)],
    [
      ['NAME', key.name],
      ['PLAN', `${key.plan}: ${limitsText(key)}`],
      ['SCOPES', scopesOf(key)],
      ['KEY', maskedKey(key)],
      ...(oldEndsAt ? [['OLD SECRET', `works until ${second(oldEndsAt)}`]] : []),
      ['CREATED', second(key.createdAt)],
      ['EXPIRES', key.expiresAt ? second(key.expiresAt) : 'never'],
      ['LAST USED', key.lastUsedAt ? minute(key.lastUsedAt) : 'never'],
      ['STATE', state(key)],
    ],
  );
}

function state({ revokedAt, expiresAt, banEndsAt }: ApiKey): string {
  const banned = ifFuture(banEndsAt);
  if (revokedAt) return `revoked ${day(revokedAt)}`;
  if (expiresAt && !ifFuture(expiresAt)) return `expired ${day(expiresAt)}`;
  if (banned) return `banned until ${second(banned)}`;
  return expiresAt ? `until ${day(expiresAt)}` : 'active';
}

/** A key that is revoked or has expired has no working secret. */
const oldSecretEnd = (key: ApiKey): Date | null =>
  key.revokedAt === null ? ifFuture(previousSecretEnd(key)) : null;

const scopesOf = ({ scopes }: ApiKey): string => scopes?.join(', ') ?? 'all';

const maskedKey = ({ prefix, lastFour }: ApiKey): string => `${prefix}…${lastFour}`;

const ifFuture = (date: Date | null): Date | null => (date && date.getTime() > Date.now() ? date : null);

/** Formats times in UTC. */
const day = (date: Date): string => date.toISOString().slice(0, 10);
const minute = (date: Date): string => `${date.toISOString().slice(0, 16)}Z`;
const second = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`;
