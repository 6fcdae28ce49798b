import type { ApiKey } from '../../auth/api-key.entity.js';
import { table, visible } from '../print.js';

const NO_KEYS = 'There are no keys yet. petstore keys create creates one.';

/** A key for `--json`. */
export function describeKey(key: ApiKey) {
  return {
    id: key.id,
    name: key.name,
    plan: key.plan,
    ...key.limits,
    scopes: key.scopes ?? 'all',
    prefix: key.prefix,
    lastFour: key.lastFour,
    createdAt: key.createdAt,
    expiresAt: key.expiresAt,
    revokedAt: key.revokedAt,
    lastUsedAt: key.lastUsedAt,
    bannedUntil: ifFuture(key.banEndsAt),
    oldSecretEndsAt: ifFuture(key.previousEndsAt),
  };
}

const WIDTH = 100; // columns
const MIN_NAME = 8;

/** In 100 columns: with short names, the number of scopes and days for times. */
export function keysTable(keys: readonly ApiKey[]): string {
  if (keys.length === 0) return NO_KEYS;
  const rows = (name: (key: ApiKey) => string) =>
    table(
      ['ID', 'NAME', 'PLAN', 'PER MINUTE', 'PER DAY', 'SCOPES', 'KEY', 'LAST USED', 'STATE'],
      keys.map((key) => [
        String(key.id),
        name(key),
        key.plan,
        String(key.limits.perMinute),
        String(key.limits.perDay),
        key.scopes ? String(key.scopes.length) : 'all',
        `…${key.lastFour}`,
        key.lastUsedAt ? day(key.lastUsedAt) : 'never',
        stateAndDay(key),
      ]),
    );
  const others =
    Math.max(
      ...rows(() => '')
        .split('\n')
        .map((line) => line.length),
    ) - 'NAME'.length;
  const width = Math.max(WIDTH - others, MIN_NAME);
  return rows(({ name }) => shortened(visible(name), width));
}

const shortened = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, width - 1)}…`;

/** All that is known of them. */
export function wideKeysTable(keys: readonly ApiKey[]): string {
  if (keys.length === 0) return NO_KEYS;
  return table(
    ['ID', 'NAME', 'PLAN', 'PER MINUTE', 'PER DAY', 'SCOPES', 'KEY', 'CREATED', 'LAST USED', 'STATE'],
    keys.map((key) => [
      String(key.id),
      key.name,
      key.plan,
      String(key.limits.perMinute),
      String(key.limits.perDay),
      scopesOf(key),
      maskedKey(key),
      day(key.createdAt),
      key.lastUsedAt ? minute(key.lastUsedAt) : 'never',
      state(key),
    ]),
  );
}

export function keyDetails(key: ApiKey): string {
  const oldEndsAt = ifFuture(key.previousEndsAt);
  return table(
    ['ID', String(key.id)],
    [
      ['NAME', key.name],
      ['PLAN', `${key.plan}: ${key.limits.perMinute} per minute, ${key.limits.perDay} per day`],
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

/** The day says less than the minute when a ban ends, and `keys show` has that. */
const stateAndDay = (key: ApiKey): string => state(key).replace(/T\S+Z$/, '');

function state({ revokedAt, expiresAt, banEndsAt }: ApiKey): string {
  const banned = ifFuture(banEndsAt);
  if (revokedAt) return `revoked ${day(revokedAt)}`;
  if (expiresAt && !ifFuture(expiresAt)) return `expired ${day(expiresAt)}`;
  if (banned) return `banned until ${second(banned)}`;
  return expiresAt ? `until ${day(expiresAt)}` : 'active';
}

const scopesOf = ({ scopes }: ApiKey): string => scopes?.join(', ') ?? 'all';

const maskedKey = ({ prefix, lastFour }: ApiKey): string => `${prefix}…${lastFour}`;

const ifFuture = (date: Date | null): Date | null => (date && date.getTime() > Date.now() ? date : null);

/** In UTC. */
const day = (date: Date): string => date.toISOString().slice(0, 10);
const minute = (date: Date): string => `${date.toISOString().slice(0, 16)}Z`;
const second = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`;
