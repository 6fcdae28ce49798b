import type { HealthCheckResult } from '@nestjs/terminus';
import { ServiceUnavailable } from '../../kernel/errors/common.errors.js';

interface ReadinessResponse {
  readonly status: 200 | 503;
  /** Seconds, with a 503. */
  readonly retryAfter?: number;
  readonly body: object;
}

/**
 * A ready process responds as `@nestjs/terminus` does. Otherwise the body is an Error, whose `status` is a number, with the
 * results of the checks in `info` and `error`.
 */
export function readinessResponse(result: HealthCheckResult): ReadinessResponse {
  if (result.status === 'ok' || result.status === 'degraded') return { status: 200, body: result };
  const { info, error } = result;
  const { code } = new ServiceUnavailable();
  return {
    status: 503,
    retryAfter: 1,
    body: { code, message: `Not ready: ${reasons(result).join(', ')}.`, status: 503, info, error },
  };
}

function reasons({ status, error = {} }: HealthCheckResult): string[] {
  return status === 'shutting_down' ? ['the service is stopping'] : Object.keys(error);
}
