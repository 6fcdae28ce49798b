import { LRUCache } from 'lru-cache';
import type { Clock } from '../kernel/clock/clock.js';
import type { ApiKeyPrincipal } from './principal.js';

interface Bounds {
  readonly most: number;
  /** Milliseconds. */
  readonly fresh: number;
}

/** The principals of valid keys by the hash of what they send. Beyond the bound those go that were not seen for longest. */
export class ApiKeyCache {
  private readonly principals: LRUCache<string, ApiKeyPrincipal>;
  /** The hashes by the key's id, mostly one: a change must not look through all that is known. */
  private readonly hashes = new Map<string, string[]>();

  constructor(clock: Clock, { most, fresh }: Bounds) {
    this.principals = new LRUCache({
      max: most,
      ttl: fresh,
      ttlResolution: 0,
      perf: { now: () => clock.elapsed() },
      // While the database is away, what was known goes on.
      allowStale: true,
      noDeleteOnStaleGet: true,
      dispose: (principal, hash) => {
        this.dropHash(String(principal.id), hash);
      },
    });
  }

  /** What was found out in the last seconds. */
  fresh(hash: string): ApiKeyPrincipal | undefined {
    return this.principals.get(hash, { allowStale: false });
  }

  /** What was found out last, however long ago. */
  last(hash: string): ApiKeyPrincipal | undefined {
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

  /** Forgets every secret of a key. */
  forget(keyId: string): void {
    for (const hash of this.hashes.get(keyId) ?? []) this.principals.delete(hash);
  }

  private dropHash(keyId: string, hash: string): void {
    const rest = this.hashes.get(keyId)?.filter((other) => other !== hash) ?? [];
    if (rest.length === 0) this.hashes.delete(keyId);
    else this.hashes.set(keyId, rest);
  }
}
