import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import {
  type HealthCheckResult,
  HealthCheckService,
  type HealthIndicatorFunction,
  HealthIndicatorService,
} from '@nestjs/terminus';
import { DataSource } from 'typeorm';
import { seconds } from '../../kernel/clock/duration.js';
import { migrationState } from '../../database/migrations/migration-state.js';

/** Time limit of a probe for the database. */
const TIMEOUT = seconds(1);
/** Probes within this time share one result. */
const CACHE_TIME = seconds(1);

/** Whether this process should get requests: its database responds, has all migrations, and it is not stopping. */
@Injectable()
export class Readiness {
  private readonly checks: HealthIndicatorFunction[] = [() => this.database(), () => this.migrations()];

  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly dataSource: DataSource,
  ) {}

  /** Adds a check of another module. */
  add(part: HealthIndicatorFunction): void {
    this.checks.push(part);
  }

  /** Does not reject for a failed check: `status` and `error` report it. */
  async check(): Promise<HealthCheckResult> {
    try {
      return await this.health.check(this.checks);
    } catch (error) {
      if (error instanceof ServiceUnavailableException) return error.getResponse() as HealthCheckResult;
      throw error;
    }
  }

  private database() {
    return this.attempt('database', async () => {
      await this.dataSource.query('SELECT 1').catch(() => fail('It does not respond.')); // the reason is not public
    });
  }

  private migrations() {
    return this.attempt('migrations', async () => {
      const { pending } = await migrationState((sql) => this.dataSource.query(sql)).catch(() =>
        fail('Not known while the database is unavailable.'),
      );
      if (pending.length > 0) fail(`${pending.length} of this version have not run.`);
    });
  }

  private attempt(name: string, ask: () => Promise<void>) {
    return this.indicators.check(name).attempt(ask).withTimeout(TIMEOUT).cacheFor(CACHE_TIME);
  }
}

function fail(why: string): never {
  throw new Error(why);
}
