import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { PLACES } from '../../../kernel/config/service.js';
import type { Plan } from '../../plans/plans.js';
import type { RateLimitDecision } from '../../rate-limit/plan-throttler.guard.js';
import type { RateLimitWindow } from '../../rate-limit/quota.js';
import { Int64Property } from '../../../kernel/json/property-types.js';

@ApiSchema({ name: 'QuotaWindow' })
class QuotaWindowResponse {
  @Int64Property({ minimum: 1, description: 'Requests allowed in the window.', example: 60 })
  readonly limit!: number;

  @Int64Property({ minimum: 0, description: 'Requests left in the window.', example: 42 })
  readonly remaining!: number;

  @Int64Property({
    minimum: 0,
    description: 'When the window ends (Unix time in seconds).',
    example: 1795132860,
  })
  readonly reset!: number;

  static from({ limit, remaining, resetAt }: RateLimitWindow): QuotaWindowResponse {
    return { limit, remaining, reset: unixSeconds(resetAt) };
  }
}

@ApiSchema({ name: 'Ban' })
class BanResponse {
  @Int64Property({
    minimum: 0,
    description: 'When the ban ends (Unix time in seconds).',
    example: 1795132860,
  })
  readonly until!: number;
}

@ApiSchema({ name: 'RateLimit' })
export class RateLimitResponse {
  @ApiProperty({
    enum: [PLACES.plans],
    enumName: 'Plan',
    description: 'The plan of your key.',
    example: PLACES.plan,
  })
  readonly plan!: Plan;

  @ApiProperty({ type: QuotaWindowResponse, description: '60 seconds, starting with your first request.' })
  readonly minute!: QuotaWindowResponse;

  @ApiProperty({ type: QuotaWindowResponse, description: 'The UTC calendar day.' })
  readonly day!: QuotaWindowResponse;

  @ApiProperty({ type: BanResponse, required: false, description: 'Only while the key is banned.' })
  readonly ban?: BanResponse;

  /** @param now wall time in Unix milliseconds */
  static from(plan: Plan, decision: RateLimitDecision | undefined, now: number): RateLimitResponse {
    const { windows = [], bannedFor = 0 } = decision ?? {};
    const [minute, day] = windows.map((window) => QuotaWindowResponse.from(window));
    if (!minute || !day) throw new Error('A key has two windows.');
    return { plan, minute, day, ...(bannedFor > 0 && { ban: { until: unixSeconds(now + bannedFor) } }) };
  }
}

const unixSeconds = (milliseconds: number): number => Math.ceil(milliseconds / 1000);
