import type { ApiKey } from '../../auth/api-key.entity.js';
import { table } from '../print.js';

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

export function keysTable(keys: readonly ApiKey[]): string {
  if (keys.length === 0) return 'There are no keys yet. petstore keys create creates one.';
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
