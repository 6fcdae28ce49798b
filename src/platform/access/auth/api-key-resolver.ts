import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { atMost } from '../../kernel/cache/at-most.js';
import { Clock } from '../../kernel/clock/clock.js';
import { withTimeout, seconds } from '../../kernel/clock/duration.js';
import { TimeLimits } from '../../kernel/clock/time-limits.js';
import { isDatabaseUnavailable } from '../../data/database/database-unavailable.js';
import { ServiceUnavailable } from '../../kernel/errors/common.errors.js';
import { ApiKeysRepository } from '../keys/api-keys.repository.js';
import type { ApiKeyPrincipal } from './principal.js';
import { ApiKeyCache } from './api-key-cache.js';
import { LastUsedRecorder } from './last-used-recorder.js';
import { LookupLimiter } from './lookup-limiter.js';
import { hashSecret, isSecret } from '../keys/secret.js';

const CACHE_TTL = seconds(10);
const RETRY_AFTER = seconds(1);
const MAX_KNOWN = 50_000;
const MAX_UNKNOWN = 50_000;

type Found = NonNullable<Awaited<ReturnType<ApiKeysRepository['findByHash']>>>;

/**
 * Resolves a secret to its API key. Each key is looked up in PostgreSQL at most once in 10 s; otherwise a
 * cache is used.
 */
@Injectable()
export class ApiKeyResolver {
  private readonly cache: ApiKeyCache;
  /**
   * Unknown hashes, with the value of `keyChangesSeen` at that time. A separate cache, so that made-up keys cannot
   * evict valid ones.
   */
  private readonly unknown: LRUCache<string, number>;
  /** Concurrent requests with the same key share one look-up, unless a key changes during it. */
  private readonly pending = new Map<string, Promise<ApiKeyPrincipal | undefined>>();
  /** How many changes of keys this process has seen. An unknown hash may belong to any changed key. */
  private keyChangesSeen = 0;
  private readonly lookups: LookupLimiter;
  private unavailableUntil = -Infinity;

  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly lastUsed: LastUsedRecorder,
    private readonly clock: Clock,
    private readonly limits: TimeLimits,
  ) {
    const perf = { now: () => clock.elapsed() };
    this.lookups = new LookupLimiter(clock, limits.keyLookUp);
    this.cache = new ApiKeyCache(clock, { max: MAX_KNOWN, ttl: CACHE_TTL });
    this.unknown = new LRUCache({ ...atMost(MAX_UNKNOWN), ttl: CACHE_TTL, ttlResolution: 0, perf });
  }

  /**
   * Resolves a secret from memory: its API key; `null` if it is mistyped, unknown, revoked, expired or
   * rotated; `undefined` if it must be looked up.
   */
  resolveCached(secret: string): ApiKeyPrincipal | null | undefined {
    const hash = hashSecret(secret);
    const principal = this.cache.fresh(hash);
    if (principal) return this.acceptIfActive(principal);
    return isSecret(secret) && this.unknown.get(hash) !== this.keyChangesSeen ? undefined : null;
  }

  /**
   * Looks up a key in PostgreSQL.
   * @param network the client's; if many keys from there are unknown, its look-ups run one at a time
   * @throws ServiceUnavailable if PostgreSQL is unavailable, unless this process has found the key valid
   *   before, and if too many look-ups of the network wait
   */
  async lookup(secret: string, network: string): Promise<ApiKeyPrincipal | null> {
    const found = await this.shared(hashSecret(secret), network);
    return found ? this.acceptIfActive(found) : null;
  }

  /** Removes a changed key from the cache, so that its next request sees the change. */
  forget(keyId: string): void {
    this.keyChangesSeen += 1;
    this.cache.forget(keyId);
    this.pending.clear();
  }

  private shared(hash: string, network: string): Promise<ApiKeyPrincipal | undefined> {
    const requested = `${hash} ${network}`; // the limiter may refuse one network and serve another
    let pending = this.pending.get(requested);
    if (!pending) {
      pending = this.find(hash, network)
        .catch((error: unknown) => this.staleOr(hash, error))
        .finally(() => this.pending.delete(requested));
      this.pending.set(requested, pending);
    }
    return pending;
  }

  /**
   * If a key changes during the query, the result may be from before the change: queries once more, and
   * caches no such result.
   */
  private async find(hash: string, network: string, isRepeat = false): Promise<ApiKeyPrincipal | undefined> {
    const hasBeenValid = this.cache.stale(hash) !== undefined;
    let seen = this.keyChangesSeen;
    const query = () => {
      seen = this.keyChangesSeen; // the limiter may have made it wait
      return this.query(hash);
    };
    const found = await (hasBeenValid ? query() : this.lookups.run(network, query));
    if (seen !== this.keyChangesSeen && !isRepeat) return this.find(hash, network, true);
    // Otherwise a revoked key would be valid while PostgreSQL is unavailable, and one with an unknown plan always.
    if (!found?.key.limits) this.cache.delete(hash);
    if (!found) {
      this.unknown.set(hash, seen);
      return undefined;
    }
    const principal = toPrincipal(found);
    if (seen === this.keyChangesSeen) this.cache.set(hash, principal);
    return principal;
  }

  private staleOr(hash: string, error: unknown): ApiKeyPrincipal {
    const principal = isUnavailable(error) ? this.cache.stale(hash) : undefined;
    if (!principal) throw error;
    return principal;
  }

  /** While PostgreSQL is unavailable, queries it at most once a second; other requests fail immediately. */
  private async query(hash: string): Promise<Found | null> {
    if (this.clock.elapsed() < this.unavailableUntil)
      throw unavailable('PostgreSQL failed less than a second ago');
    try {
      return await withTimeout(this.keys.findByHash(hash), this.limits.keyLookUp, () => {
        throw unavailable('PostgreSQL did not respond in time');
      });
    } catch (error) {
      if (isUnavailable(error)) this.unavailableUntil = this.clock.elapsed() + RETRY_AFTER;
      throw error;
    }
  }

  /** Checks the end on each use, so that a cached secret expires on time. */
  private acceptIfActive(principal: ApiKeyPrincipal): ApiKeyPrincipal | null {
    const now = this.clock.now();
    if (now >= principal.endsAt) return null;
    this.lastUsed.note(principal, now);
    return principal;
  }
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof ServiceUnavailable || isDatabaseUnavailable(error);

const unavailable = (cause: string): ServiceUnavailable => new ServiceUnavailable({ cause });

/** @throws ServiceUnavailable for a plan that this process does not have, such as one of a newer replica */
function toPrincipal({ key, endsAt }: Found): ApiKeyPrincipal {
  const { id, name, plan, limits, scopes, lastUsedAt, banEndsAt, banLevel, banLiftedAt } = key;
  if (!limits) throw unavailable(`this process does not have the plan ${plan} of key ${id}`);
  return {
    kind: 'key',
    id,
    name,
    plan,
    limits,
    scopes,
    endsAt: endsAt?.getTime() ?? Infinity,
    lastUsedAt: lastUsedAt?.getTime() ?? 0,
    ban: banEndsAt ? { endsAt: banEndsAt.getTime(), level: banLevel } : undefined,
    banLiftedAt: banLiftedAt?.getTime(),
  };
}
