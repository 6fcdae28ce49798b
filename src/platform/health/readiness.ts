import { Injectable, type OnApplicationShutdown, ServiceUnavailableException } from '@nestjs/common';
import {
  type HealthCheckResult,
  HealthCheckService,
  type HealthIndicatorFunction,
  HealthIndicatorService,
} from '@nestjs/terminus';
import { DataSource } from 'typeorm';
import { seconds, withTimeout } from '../clock/duration.js';
import { openProbe } from '../database/probe.js';
import { migrationState } from '../database/migrations/migration-state.js';

/** Time limit of each check. */
const TIMEOUT = seconds(1);
/** How long the end of the process waits for a probe. */
const END_TIMEOUT = seconds(0.5);
/** Probes within this time share one result. */
const CACHE_TIME = seconds(1);

/** Whether this process should get requests: the database responds, all migrations have run, and it is not shutting down. */
@Injectable()
export class Readiness implements OnApplicationShutdown {
  private readonly probe: ReturnType<typeof openProbe>;
  private isStopping = false;
  private readonly checks: HealthIndicatorFunction[] = [() => this.database(), () => this.migrations()];

  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly dataSource: DataSource,
  ) {
    this.probe = openProbe(dataSource);
  }

  async onApplicationShutdown(): Promise<void> {
    await withTimeout(this.probe.end(), END_TIMEOUT, () => undefined);
  }

  /** Adds a check of another module. */
  add(part: HealthIndicatorFunction): void {
    this.checks.push(part);
  }

  /** Not ready from now on. Terminus would notice late: Nest calls the shutdown hooks of one module after those of another. */
  stop(): void {
    this.isStopping = true;
  }

  /** Runs all checks. Failed checks do not reject; see `status` and `error` of the result. */
  async check(): Promise<HealthCheckResult> {
    const result = await this.runChecks();
    return this.isStopping ? { ...result, status: 'shutting_down' } : result;
  }

  private async runChecks(): Promise<HealthCheckResult> {
    try {
      return await this.health.check(this.checks);
    } catch (error) {
      if (error instanceof ServiceUnavailableException) return error.getResponse() as HealthCheckResult;
      throw error;
    }
  }

  private database() {
    return this.attempt('database', async () => {
      await this.probe.query('SELECT 1').catch(() => fail('It does not respond.')); // hides the reason from the public
    });
  }

  private migrations() {
    const known = this.dataSource.migrations.map((migration) => migration.constructor.name);
    return this.attempt('migrations', async () => {
      const { pending } = await migrationState(
        async (sql) => (await this.probe.query<never>(sql)).rows,
        known,
      ).catch(() => fail('Unknown while the database is unavailable.'));
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
