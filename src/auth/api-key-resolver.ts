import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../kernel/clock/clock.js';
import { seconds } from '../kernel/clock/duration.js';
import { isDatabaseUnavailable } from '../database/database-unavailable.js';
import { ServiceUnavailable } from '../kernel/errors/common.errors.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import type { ApiKeyPrincipal, ApiKeyLookup } from './principal.js';
import { ApiKeyCache } from './api-key-cache.js';
import { LastUsedRecorder } from './last-used-recorder.js';
import { bitsOf } from './scopes.js';
import { hashSecret, isSecret } from './secret.js';

const REMEMBERED = seconds(10);
const ASK_AGAIN = seconds(1);
const MOST_KNOWN = 50_000;
const MOST_UNKNOWN = 50_000;
/** Of a look-up, when its key is changed all the time. */
const MAX_TRIES = 2;

/** A look-up under way, and the ids of the keys that were changed meanwhile. */
interface Question {
  readonly answer: Promise<ApiKeyPrincipal | undefined>;
  readonly changed: Set<string>;
}

type Found = NonNullable<Awaited<ReturnType<ApiKeysRepository['findByHash']>>>;

/** Finds the key principal behind a secret, in memory where it can: a key is looked up at most once in 10 s. */
@Injectable()
export class ApiKeyResolver {
  private readonly cache: ApiKeyCache;
  /** After how many changes a hash was unknown. Kept apart, so that a flood of made-up keys pushes out no real one. */
  private readonly unknown: LRUCache<string, number>;
  /** Look-ups under way: of many callers at once, one asks and all get its answer. */
  private readonly asking = new Map<string, Question>();
  private changes = 0;
  private awayUntil = -Infinity;

  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly lastUsed: LastUsedRecorder,
    private readonly clock: Clock,
  ) {
    const perf = { now: () => clock.elapsed() };
    this.cache = new ApiKeyCache(clock, { most: MOST_KNOWN, fresh: REMEMBERED });
    this.unknown = new LRUCache({ max: MOST_UNKNOWN, ttl: REMEMBERED, ttlResolution: 0, perf });
  }

  /**
   * The key principal, or the look-up that would find out, or `undefined` for a secret that is known to be mistyped,
   * unknown, revoked, expired or rotated out.
   */
  resolve(secret: string): ApiKeyPrincipal | ApiKeyLookup | undefined {
    const hash = hashSecret(secret);
    const principal = this.cache.fresh(hash);
    if (principal) return this.used(principal);
    if (!isSecret(secret) || this.unknown.get(hash) === this.changes) return undefined;
    return {
      kind: 'look_up',
      seenBefore: this.cache.last(hash) !== undefined,
      run: () => this.ask(hash).then((found) => found && this.used(found)),
    };
  }

  /** Forgets what is known of a key, so that the next request with it sees what was changed. */
  forget(keyId: string): void {
    this.changes += 1;
    this.cache.forget(keyId);
    for (const { changed } of this.asking.values()) changed.add(keyId);
  }

  private ask(hash: string): Promise<ApiKeyPrincipal | undefined> {
    let question = this.asking.get(hash);
    if (!question) {
      const changed = new Set<string>();
      const answer = this.lookUp(hash, changed)
        .catch((error: unknown) => this.lastKnown(hash, error))
        .finally(() => this.asking.delete(hash));
      this.asking.set(hash, (question = { answer, changed }));
    }
    return question.answer;
  }

  /**
   * Looks once more when the key was changed meanwhile, since it may have been read before the change. What is read
   * while changes go on is right for this request, and is not kept.
   */
  private async lookUp(hash: string, changed: Set<string>): Promise<ApiKeyPrincipal | undefined> {
    for (let tries = 1; ; tries++) {
      changed.clear();
      const found = await this.askDatabase(hash);
      // Which key an unknown hash may belong to from now on, nobody can tell: any change counts.
      const stale = found ? changed.has(String(found.key.id)) : changed.size > 0;
      if (stale && tries < MAX_TRIES) continue;
      if (!found) {
        this.cache.delete(hash); // a revoked key must not come back when the database goes away
        if (!stale) this.unknown.set(hash, this.changes);
        return undefined;
      }
      const principal = toPrincipal(found);
      if (!stale) this.cache.set(hash, principal);
      return principal;
    }
  }

  private lastKnown(hash: string, error: unknown): ApiKeyPrincipal {
    const principal = this.cache.last(hash);
    if (!principal) throw error;
    return principal;
  }

  /** While the database is away only one request a second waits to find that out. */
  private async askDatabase(hash: string): Promise<Found | null> {
    if (this.clock.elapsed() < this.awayUntil) throw new ServiceUnavailable();
    try {
      return await this.keys.findByHash(hash);
    } catch (error) {
      if (isDatabaseUnavailable(error)) this.awayUntil = this.clock.elapsed() + ASK_AGAIN;
      throw error;
    }
  }

  /** Asks the clock each time: a secret ends on time, however long it is cache. */
  private used(principal: ApiKeyPrincipal): ApiKeyPrincipal | undefined {
    const now = this.clock.now();
    if (now >= principal.endsAt) return undefined;
    this.lastUsed.note(principal, now);
    return principal;
  }
}

function toPrincipal({ key, endsAt }: Found): ApiKeyPrincipal {
  const { id, name, plan, limits, scopes, lastUsedAt, banEndsAt, banLevel, forgivenAt } = key;
  return {
    kind: 'key',
    id,
    name,
    plan,
    limits,
    scopes: bitsOf(scopes),
    endsAt: endsAt?.getTime() ?? Infinity,
    lastUsedAt: lastUsedAt?.getTime() ?? 0,
    ban: banEndsAt ? { endsAt: banEndsAt.getTime(), level: banLevel } : undefined,
    forgivenAt: forgivenAt?.getTime(),
  };
}
