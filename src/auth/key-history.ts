import type { DataSource, EntityManager } from 'typeorm';
import type { Int64 } from '../kernel/json/int64.js';
import type { ApiKey } from './api-key.entity.js';
import type { AuditActor } from './audit-actor.js';
import { type Changes, type KeyAction, KeyHistoryEntry, type Told } from './key-history.entity.js';

/** Who did what to which key, and when. */
export class KeyHistory {
  constructor(
    private readonly dataSource: DataSource,
    private readonly actor: AuditActor,
  ) {}

  /** Oldest first. */
  of(keyId: Int64): Promise<KeyHistoryEntry[]> {
    return this.dataSource.getRepository(KeyHistoryEntry).find({ where: { keyId }, order: { id: 'ASC' } });
  }

  /** Puts a change on record, in the transaction that makes it: neither is there without the other. */
  async record(
    transaction: EntityManager,
    action: KeyAction,
    before: ApiKey | undefined,
    after: ApiKey,
  ): Promise<void> {
    const changes = difference(before ? visible(before) : {}, visible(after));
    const { osUser, host, command } = this.actor;
    await transaction.insert(KeyHistoryEntry, { keyId: after.id, action, osUser, host, command, changes });
  }
}

/** What may be told of a key: everything but its secrets. */
const visible = (key: ApiKey): Record<string, Told> => ({
  name: key.name,
  plan: key.plan,
  perMinute: key.limits.perMinute,
  perDay: key.limits.perDay,
  scopes: key.scopes ?? 'all',
  key: `${key.prefix}…${key.lastFour}`,
  oldSecretEndsAt: time(key.previousEndsAt),
  expiresAt: time(key.expiresAt),
  revokedAt: time(key.revokedAt),
  bannedUntil: time(key.banEndsAt),
});

const time = (date: Date | null): string | null => date?.toISOString() ?? null;

function difference(before: Record<string, Told>, after: Record<string, Told>): Changes {
  return Object.fromEntries(
    Object.entries(after)
      .map(([name, to]) => [name, { from: before[name] ?? null, to }] as const)
      .filter(([, { from, to }]) => JSON.stringify(from) !== JSON.stringify(to)),
  );
}
