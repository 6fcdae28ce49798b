import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../clock/clock.js';
import { seconds } from '../clock/duration.js';
import type { ApiKey } from './api-key.entity.js';
import { ApiKeysService } from './api-keys.service.js';
import type { KeyHolder } from './caller.js';
import { hashSecret, isSecret } from './secret.js';

const REMEMBERED = seconds(10);
const MOST_KNOWN = 100_000;
const MOST_UNKNOWN = 50_000;

/** Finds the key holder behind a secret, in memory where it can: a key is looked up at most once in 10 s. */
@Injectable()
export class CallerDirectory {
  private readonly known: LRUCache<string, KeyHolder>;
  /** Kept apart, so that a flood of made-up keys pushes out no real one. */
  private readonly unknown: LRUCache<string, true>;

  constructor(
    private readonly keys: ApiKeysService,
    private readonly clock: Clock,
  ) {
    const perf = { now: () => clock.elapsed() };
    this.known = new LRUCache({
      max: MOST_KNOWN,
      ttl: REMEMBERED,
      ttlResolution: 0,
      perf,
      fetchMethod: (hash) => this.lookUp(hash), // of many callers at once, one asks and all get its answer
      allowStaleOnFetchRejection: true, // while the database is away, known keys go on working
      noDeleteOnFetchRejection: true,
    });
    this.unknown = new LRUCache({ max: MOST_UNKNOWN, ttl: REMEMBERED, ttlResolution: 0, perf });
  }

  /** The key holder, or `undefined` for a secret that is mistyped, unknown, revoked or expired. */
  identify(secret: string): KeyHolder | undefined | Promise<KeyHolder | undefined> {
    const hash = hashSecret(secret);
    const holder = this.known.get(hash);
    if (holder) return this.unlessExpired(holder);
    if (!isSecret(secret) || this.unknown.has(hash)) return undefined;
    return this.known.fetch(hash).then((found) => this.unlessExpired(found));
  }

  private async lookUp(hash: string): Promise<KeyHolder | undefined> {
    const key = await this.keys.findByHash(hash);
    if (!key) this.unknown.set(hash, true);
    return key ? toHolder(key) : undefined;
  }

  private unlessExpired(holder: KeyHolder | undefined): KeyHolder | undefined {
    const expired = holder?.expiresAt !== undefined && this.clock.now() >= holder.expiresAt;
    return expired ? undefined : holder;
  }
}

function toHolder({ id, name, plan, limits, expiresAt }: ApiKey): KeyHolder {
  return { kind: 'key', id: String(id), name, plan, limits, expiresAt: expiresAt?.getTime() };
}
