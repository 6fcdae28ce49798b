import type { ApiKey } from '../api-key.entity.js';
import { table } from './print.js';

/** A key as programs see it. */
export function describeKey(key: ApiKey) {
  return {
    id: String(key.id),
    name: key.name,
    plan: key.plan,
    ...key.limits,
    prefix: key.prefix,
    lastFour: key.lastFour,
    createdAt: key.createdAt,
    expiresAt: key.expiresAt,
    revokedAt: key.revokedAt,
    lastUsedAt: key.lastUsedAt,
    bannedUntil: isBanned(key) ? key.banEndsAt : null,
  };
}

/** Keys as people see them. */
export function keysTable(keys: readonly ApiKey[]): string {
  if (keys.length === 0) return 'There are no keys yet. petstore keys create makes one.';
  return table(
    ['ID', 'NAME', 'PLAN', 'PER MINUTE', 'PER DAY', 'KEY', 'CREATED', 'STATE'],
    keys.map((key) => [
      String(key.id),
      key.name,
      key.plan,
      String(key.limits.perMinute),
      String(key.limits.perDay),
      `${key.prefix}…${key.lastFour}`,
      key.createdAt.toISOString().slice(0, 10),
      state(key),
    ]),
  );
}

function state(key: ApiKey): string {
  const { revokedAt, expiresAt, banEndsAt } = key;
  if (revokedAt) return `revoked ${revokedAt.toISOString().slice(0, 10)}`;
  if (banEndsAt && isBanned(key)) return `banned until ${banEndsAt.toISOString().slice(0, 19)}Z`;
  return expiresAt ? `until ${expiresAt.toISOString().slice(0, 10)}` : 'active';
}

const isBanned = ({ banEndsAt }: ApiKey): boolean => banEndsAt !== null && banEndsAt.getTime() > Date.now();
