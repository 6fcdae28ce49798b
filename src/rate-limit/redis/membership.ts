import { randomBytes } from 'node:crypto';
import type { Clock } from '../../kernel/clock/clock.js';
import { seconds } from '../../kernel/clock/duration.js';
import type { RedisClient } from './redis-client.js';

const ANNOUNCED_FOR = seconds(5);

/**
 * Which replicas count in this Redis. A replica is one of them when Redis has all that it has admitted: after a restart
 * or a loss of data it has to tell that first, and the others wait for it, 5 s at most.
 */
export class Membership {
  /** Longer than the other fields of the hashes that it is a field of. */
  readonly id = randomBytes(6).toString('base64url');
  /** How many replicas there are, this one included. It falls only after a while of uninterrupted contact. */
  count = 1;
  /** Which Redis, and which life of its data. */
  generation = '';
  private contactSince?: number;
  private waitsUntil = 0;
  private present = 0;

  constructor(
    private readonly clock: Clock,
    private readonly redis: RedisClient,
    private readonly onTime: (now: number) => void,
  ) {}

  /** Says that this replica is there. @returns the generation of Redis, if this replica is not a member of it */
  async announce(): Promise<string | undefined> {
    const { count, generation, time } = await this.redis.announce(this.id, this.generation, ANNOUNCED_FOR);
    this.onTime(time);
    if (generation !== this.generation) return generation;
    const now = this.clock.elapsed();
    this.contactSince ??= now;
    this.present = count;
    this.count = now - this.contactSince < ANNOUNCED_FOR ? Math.max(this.count, count) : count;
    return undefined;
  }

  /** Becomes a member of a generation: Redis has all that this replica has admitted. */
  async join(generation: string): Promise<void> {
    if (this.isMember) this.waitsUntil = this.clock.elapsed() + ANNOUNCED_FOR;
    this.generation = generation;
    this.present = 0;
    await this.announce();
  }

  /** Whether it has been a member of any generation. */
  get isMember(): boolean {
    return this.generation !== '';
  }

  /** Whether Redis has what every replica has admitted. */
  get isComplete(): boolean {
    return this.present >= this.count || this.clock.elapsed() >= this.waitsUntil;
  }

  interrupted(): void {
    this.contactSince = undefined;
  }
}
