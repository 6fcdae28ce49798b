import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import {
  HealthCheckService,
  type HealthCheckResult,
  type HealthIndicatorFunction,
  HealthIndicatorService,
} from '@nestjs/terminus';
import { seconds } from '../../kernel/clock/duration.js';
import { DatabaseState } from './database-state.js';

/** Time limit of a probe for the database. */
const PATIENCE = seconds(1);
/** Probes within this time share one result. */
const FRESH = seconds(1);

/** Whether this process should get requests: its database responds, has all migrations, and it is not stopping. */
@Injectable()
export class Readiness {
  private readonly parts: HealthIndicatorFunction[] = [() => this.database(), () => this.migrations()];

  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly state: DatabaseState,
  ) {}

  /** Adds a check of another module. */
  add(part: HealthIndicatorFunction): void {
    this.parts.push(part);
  }

  /** Does not reject for a failed check: `status` and `error` report it. */
  async check(): Promise<HealthCheckResult> {
    try {
      return await this.health.check(this.parts);
    } catch (error) {
      if (error instanceof ServiceUnavailableException) return error.getResponse() as HealthCheckResult;
      throw error;
    }
  }

  private database() {
    return this.attempt('database', async () => {
      await this.state.migrations().catch(() => fail('It does not respond.')); // the reason is not public
    });
  }

  private migrations() {
    return this.attempt('migrations', async () => {
      const { pending } = await this.state
        .migrations()
        .catch(() => fail('Not known while the database is unavailable.'));
      if (pending.length > 0) fail(`${pending.length} of this version have not run.`);
    });
  }

  private attempt(name: string, ask: () => Promise<void>) {
    return this.indicators.check(name).attempt(ask).withTimeout(PATIENCE).cacheFor(FRESH);
  }
}

function fail(why: string): never {
  throw new Error(why);
}
