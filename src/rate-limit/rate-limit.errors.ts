import { DomainError } from '../kernel/errors/domain-error.js';

export class RateLimitExceeded extends DomainError {
  constructor(retryAfter: number, message = `Too many requests. Try again in ${retryAfter} s.`) {
    super('rate_limited', 'rate_limit_exceeded', message);
  }
}

export class DailyQuotaExceeded extends DomainError {
  constructor(retryAfter: number) {
    super(
      'rate_limited',
      'daily_quota_exceeded',
      `The quota for this UTC day is used up. Try again in ${retryAfter} s.`,
    );
  }
}

export class ApiKeyBanned extends DomainError {
  constructor(retryAfter: number) {
    super(
      'rate_limited',
      'api_key_banned',
      `This key is temporarily banned because it kept sending requests after 429. Try again in ${retryAfter} s.`,
    );
  }
}
