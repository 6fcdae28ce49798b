import type { Clock } from '../../kernel/clock/clock.js';
import { days } from '../../kernel/clock/duration.js';
import type { WindowCounts } from '../window-counts.js';
import { MINUTE, type RateLimitClient, type ClientId } from '../plan-throttler.storage.js';
import { WindowUsage } from './window-usage.js';

const DAY = days(1);

/** What this replica knows of one client. */
export class ClientUsage {
  readonly minute = new WindowUsage();
  readonly day = new WindowUsage();
  /** The generation of Redis that has heard what this replica has admitted. */
  generation?: string;

  constructor(public client: RateLimitClient) {}

  get hasPending(): boolean {
    return this.minute.pending > 0 || this.day.pending > 0;
  }

  /** Whether Redis would refuse a request, as far as this replica knows: what is used only grows while a window runs. */
  isExhausted({ perMinute, perDay = Infinity }: RateLimitClient['limits'], elapsed: number): boolean {
    return isUsedUp(this.minute, perMinute, elapsed) || isUsedUp(this.day, perDay, elapsed);
  }
}

const isUsedUp = (window: WindowUsage, limit: number, elapsed: number): boolean =>
  Math.max(window.used, window.own) >= limit && window.isRunning(elapsed);

/**
 * What Redis last said of each client, and what this replica has admitted itself. Two generations: when the young one
 * is full, it replaces the old one, which is dropped. That of keys is never dropped before it is a minute old.
 */
export class ResultCache {
  private readonly keys: Generations;
  private readonly others: Generations;
  /** Those of which Redis does not know everything yet. */
  private readonly pending = new Map<ClientId, ClientUsage>();
  /** Unix milliseconds of Redis's clock, less those of the monotonic one. */
  private offset: number;

  /**
   * @param maxKeys keys that a generation holds
   * @param maxAddresses clients without a key that are remembered at a time
   */
  constructor(
    private readonly clock: Clock,
    maxKeys: number,
    maxAddresses: number,
  ) {
    this.keys = new Generations(maxKeys, MINUTE);
    this.others = new Generations(maxAddresses / 2, 0);
    this.offset = clock.now() - clock.elapsed();
  }

  /** @param elapsed of the monotonic clock */
  find(client: RateLimitClient, elapsed: number): ClientUsage {
    const usage =
      (this.pending.size > 0 ? this.pending.get(client.id) : undefined) ??
      this.generations(client).find(client, elapsed);
    usage.client = client;
    return usage;
  }

  /** Begins those windows of a client that do not run. */
  begin({ client, minute, day }: ClientUsage, elapsed: number): void {
    const now = Math.floor(elapsed + this.offset);
    const { period = MINUTE } = client;
    if (!minute.isRunning(elapsed) || minute.isUnused) minute.begin(now + period, elapsed + period);
    if (day.isRunning(elapsed)) return;
    const left = DAY - (now % DAY);
    day.begin(now + left, elapsed + left);
  }

  /** Redis's clock shows this now. */
  setTime(now: number): void {
    this.offset = now - this.clock.elapsed();
  }

  counts({ minute, day }: ClientUsage, elapsed: number): WindowCounts {
    return {
      minuteUsed: minute.used,
      minuteLeft: minute.left(elapsed),
      minuteEnd: minute.end,
      dayUsed: day.used,
      dayLeft: day.left(elapsed),
      dayEnd: day.end,
    };
  }

  /** Notes that Redis has to hear of a client. */
  addPending(usage: ClientUsage): void {
    this.pending.set(usage.client.id, usage);
  }

  /** Redis has heard of a client. */
  settle(usage: ClientUsage): void {
    if (this.pending.size > 0 && !usage.hasPending) this.pending.delete(usage.client.id);
  }

  pendingUsage(): readonly ClientUsage[] {
    return [...this.pending.values()];
  }

  /** The keys of whose running minute this replica has admitted something. */
  *active(elapsed: number): Generator<ClientUsage> {
    for (const usage of this.keys.values())
      if (usage.minute.own > 0 && usage.minute.isRunning(elapsed)) yield usage;
  }

  /** Whether no key was dropped yet: then it knows all that this replica has admitted. */
  get isComplete(): boolean {
    return this.keys.isComplete;
  }

  private generations({ limits }: RateLimitClient): Generations {
    return limits.perDay === undefined ? this.others : this.keys;
  }
}

class Generations {
  private young = new Map<ClientId, ClientUsage>();
  private old = new Map<ClientId, ClientUsage>();
  private born = 0;
  isComplete = true;

  constructor(
    private readonly max: number,
    private readonly minAge: number,
  ) {}

  find(client: RateLimitClient, elapsed: number): ClientUsage {
    let usage = this.young.get(client.id);
    if (usage) return usage;
    usage = this.old.get(client.id) ?? new ClientUsage(client);
    if (this.young.size >= this.max && elapsed - this.born >= this.minAge) this.turn(elapsed);
    this.young.set(client.id, usage);
    return usage;
  }

  *values(): Generator<ClientUsage> {
    yield* this.young.values();
    for (const [id, usage] of this.old) if (!this.young.has(id)) yield usage;
  }

  private turn(elapsed: number): void {
    if (this.old.size > 0) this.isComplete = false;
    this.old = this.young;
    this.young = new Map();
    this.born = elapsed;
  }
}
