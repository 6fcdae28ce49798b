import { DomainError } from '../../kernel/errors/domain-error.js';

export class RateLimitExceeded extends DomainError {
  static override readonly help = {
    meaning: 'The limit of the plan, the route or the address for this minute is used up.',
    action: 'Wait for the seconds in `Retry-After`, then back off exponentially.',
  };

  constructor(retryAfter: number, message = `Too many requests. Try again in ${retryAfter} s.`) {
    super('rate_limited', 'rate_limit_exceeded', message);
  }
}

export class DailyQuotaExceeded extends DomainError {
  static override readonly help = {
    meaning: 'The limit for this UTC day is used up.',
    action: 'Wait until the day ends (`Retry-After`), or ask for a larger plan.',
  };

  constructor(retryAfter: number) {
    super(
      'rate_limited',
      'daily_quota_exceeded',
      `The quota for this UTC day is used up. Try again in ${retryAfter} s.`,
    );
  }
}

export class ApiKeyBanned extends DomainError {
  static override readonly help = {
    meaning: 'The key kept sending requests after 429 and is temporarily banned.',
    action: 'Send nothing until `Retry-After` has passed. Fix the client: each further ban is longer.',
  };

  constructor(retryAfter: number) {
    super(
      'rate_limited',
      'api_key_banned',
      `This key is temporarily banned because it kept sending requests after 429. Try again in ${retryAfter} s.`,
    );
  }
}
