import { LRUCache } from 'lru-cache';
import { atMost } from '../../kernel/cache/at-most.js';
import type { Clock } from '../../kernel/clock/clock.js';
import type { ApiKeyPrincipal } from './principal.js';

interface Bounds {
  readonly max: number;
  /** Milliseconds. */
  readonly ttl: number;
}

/**
 * Caches the principals of valid keys by the hash of their secret. Evicts the least recently used ones first.
 */
export class ApiKeyCache {
  private readonly principals: LRUCache<string, ApiKeyPrincipal>;
  /** Hashes by key id, usually one, so that a change of a key need not scan the whole cache. */
  private readonly hashes = new Map<string, string[]>();

  constructor(clock: Clock, { max, ttl }: Bounds) {
    this.principals = new LRUCache({
      ...atMost(max),
      ttl,
      ttlResolution: 0,
      perf: { now: () => clock.elapsed() },
      // Stale entries are used while PostgreSQL is unavailable.
      allowStale: true,
      noDeleteOnStaleGet: true,
      dispose: (principal, hash) => {
        this.dropHash(String(principal.id), hash);
      },
    });
  }

  /** The entry, unless it has expired. */
  fresh(hash: string): ApiKeyPrincipal | undefined {
    return this.principals.get(hash, { allowStale: false });
  }

  /** The entry, expired or not. */
  stale(hash: string): ApiKeyPrincipal | undefined {
    return this.principals.peek(hash);
  }

  set(hash: string, principal: ApiKeyPrincipal): void {
    this.principals.set(hash, principal);
    const id = String(principal.id);
    this.hashes.set(id, [...(this.hashes.get(id) ?? []), hash]);
  }

  delete(hash: string): void {
    this.principals.delete(hash);
  }

  /** Removes all entries of a key. */
  forget(keyId: string): void {
    for (const hash of this.hashes.get(keyId) ?? []) this.principals.delete(hash);
  }

  private dropHash(keyId: string, hash: string): void {
    const rest = this.hashes.get(keyId)?.filter((other) => other !== hash) ?? [];
    if (rest.length === 0) this.hashes.delete(keyId);
    else this.hashes.set(keyId, rest);
  }
}
