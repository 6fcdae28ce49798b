import { Injectable } from '@nestjs/common';
import { hostname, userInfo } from 'node:os';
import { DataSource, type EntityManager } from 'typeorm';
import type { Int64 } from '../../kernel/json/int64.js';
import type { ApiKey } from './api-key.entity.js';
import { type KeyUpdate, type KeyAction, KeyHistoryEntry, type HistoryValue } from './key-history.entity.js';

/** The `command` of changes that clients make over HTTP. A trigger of the table knows it too. */
const SERVICE_COMMAND = 'the service';
/** How many rotations by its clients the history of a key keeps. A trigger of the table protects them. */
const KEPT_ROTATIONS = 100;

/** Who makes a change, for the history. */
export class AuditActor {
  /** A client of the service. */
  static service(): AuditActor {
    return new AuditActor(SERVICE_COMMAND);
  }

  readonly host = hostname();

  /**
   * @param command the command that makes the change
   * @param osUser the user name; in a container it is the same for everyone
   */
  constructor(
    readonly command: string,
    readonly osUser = userName(),
  ) {}
}

/** Records who changed which key, when and how. */
@Injectable()
export class KeyHistory {
  constructor(
    private readonly dataSource: DataSource,
    private readonly actor: AuditActor,
  ) {}

  /** The changes of a key, oldest first. */
  of(keyId: Int64): Promise<KeyHistoryEntry[]> {
    return this.dataSource.getRepository(KeyHistoryEntry).find({ where: { keyId }, order: { id: 'ASC' } });
  }

  /** Records a change in the same transaction. */
  async record(
    transaction: EntityManager,
    action: KeyAction,
    before: ApiKey | undefined,
    after: ApiKey,
  ): Promise<void> {
    const changes = difference(before ? recordedValues(before) : {}, recordedValues(after));
    const { osUser, host, command } = this.actor;
    await transaction.insert(KeyHistoryEntry, { keyId: after.id, action, osUser, host, command, changes });
    if (action === 'rotate' && command === SERVICE_COMMAND) await this.forgetRotations(transaction, after.id);
  }

  /**
   * Milliseconds until a client has made fewer than `max` rotations of the key in `period`; 0 if it already
   * has.
   * @param transaction has locked the row of the key
   */
  async waitForRotation(transaction: EntityManager, id: Int64, max: number, period: number): Promise<number> {
    const [oldest] = await transaction.query<{ wait: number }[]>(
      `SELECT 1000 * extract(epoch FROM changed_at - clock_timestamp())::float8 + $4::float8 AS wait
       FROM api_key_history WHERE key_id = $1 AND action = 'rotate' AND command = $2
       ORDER BY id DESC OFFSET $3::integer - 1 LIMIT 1`,
      [id, SERVICE_COMMAND, max, period],
    );
    return Math.max(0, oldest?.wait ?? 0);
  }

  private async forgetRotations(transaction: EntityManager, id: Int64): Promise<void> {
    await transaction.query(
      `DELETE FROM api_key_history WHERE id IN (
         SELECT id FROM api_key_history WHERE key_id = $1 AND action = 'rotate' AND command = $2
         ORDER BY id DESC OFFSET ${KEPT_ROTATIONS})`,
      [id, SERVICE_COMMAND],
    );
  }
}

/** The recorded values of a key: everything except its secrets. */
const recordedValues = (key: ApiKey): Record<string, HistoryValue> => ({
  name: key.name,
  plan: key.plan,
  perMinute: key.limits?.perMinute ?? null,
  perDay: key.limits?.perDay ?? null,
  scopes: key.scopes ?? 'all',
  key: `${key.prefix}…${key.lastFour}`,
  oldSecretEndsAt: time(key.previousEndsAt),
  expiresAt: time(key.expiresAt),
  revokedAt: time(key.revokedAt),
  bannedUntil: time(key.banEndsAt),
});

const time = (date: Date | null): string | null => date?.toISOString() ?? null;

function difference(before: Record<string, HistoryValue>, after: Record<string, HistoryValue>): KeyUpdate {
  return Object.fromEntries(
    Object.entries(after)
      .map(([name, to]) => [name, { from: before[name] ?? null, to }] as const)
      .filter(([, { from, to }]) => JSON.stringify(from) !== JSON.stringify(to)),
  );
}

/** The user name. In a container, the user id may not have one. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
