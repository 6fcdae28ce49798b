import { Injectable, Logger, type OnApplicationShutdown, ServiceUnavailableException } from '@nestjs/common';
import {
  HealthCheckAttempt,
  type HealthCheckResult,
  HealthCheckService,
  type HealthIndicatorFunction,
  type HealthIndicatorResult,
  HealthIndicatorService,
} from '@nestjs/terminus';
import { Gauge } from 'prom-client';
import { DataSource } from 'typeorm';
import { minutes, seconds, withTimeout } from '../../kernel/clock/duration.js';
import { describe } from '../../kernel/errors/error.filter.js';
import { PoolWatch } from '../../data/database/pool/pool-watch.js';
import { IS_READ_ONLY } from '../../data/database/writable.js';
import { Metrics } from '../metrics/metrics.js';
import { service } from '../../kernel/config/service.js';
import { openProbe } from '../../data/database/probe.js';
import { migrationState } from '../../data/database/migrations/migration-state.js';

/** Time limit of each check. */
const TIMEOUT = seconds(1);
/** How long the end of the process waits for a probe. */
const END_TIMEOUT = seconds(0.5);
/**
 * A pool in which nothing has moved for so long has lost its connections, and only a restart brings them
 * back. A busy one is no reason: all replicas are busy at the same time.
 */
const STUCK = minutes(1);
/** Probes within this time share one result. */
const CACHE_TIME = seconds(1);

/**
 * Whether this process should get requests: the database responds, all migrations have run, and it is not
 * shutting down.
 */
@Injectable()
export class Readiness implements OnApplicationShutdown {
  private readonly probe: ReturnType<typeof openProbe>;
  private readonly logger = new Logger(Readiness.name);
  private isStopping = false;
  /** Of PostgreSQL, at the last check; undefined if it did not respond. */
  private isReadOnly?: boolean;
  private saidReadOnly = false;
  private readonly checks: HealthIndicatorFunction[] = [() => this.database(), () => this.migrations()];

  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly dataSource: DataSource,
    private readonly pool: PoolWatch,
    { registry }: Metrics,
  ) {
    this.probe = openProbe(dataSource);
    const read = () => this.readOnly();
    new Gauge({
      name: `${service().prefix}_database_read_only`,
      help: '1 while PostgreSQL is read-only, so that every write is 503; absent while it does not respond.',
      registers: [registry],
      async collect() {
        const isReadOnly = await read();
        if (isReadOnly === undefined) this.remove();
        else this.set(Number(isReadOnly));
      },
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await withTimeout(this.probe.end(), END_TIMEOUT, () => undefined);
  }

  /**
   * Adds a check of another module, which has 1 s each time. One that throws, or is late, is down. It is
   * named as its results are, so make them by `check(name).attempt(…)`, which names also one that has never
   * succeeded.
   */
  add(part: HealthIndicatorFunction): void {
    let name = `check ${this.checks.length + 1}`;
    let isDown = false;
    this.checks.push(async () => {
      try {
        const given = part instanceof HealthCheckAttempt ? part : part();
        const limited =
          given instanceof HealthCheckAttempt
            ? given.withTimeout(TIMEOUT)
            : inTime(given as PromiseLike<HealthIndicatorResult>); // an attempt is its result's promise
        const result = await limited;
        [name = name] = Object.keys(result);
        isDown = false;
        return result;
      } catch (error) {
        if (!isDown) this.logger.warn(`The readiness check "${name}" fails: ${describe(error).msg}`);
        isDown = true;
        return this.indicators.check(name).down('It does not work.'); // hides the reason from the public
      }
    });
  }

  /**
   * Not ready from now on. Terminus would notice late: Nest calls the shutdown hooks of one module after
   * those of another.
   */
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

  private async database() {
    const result = await this.attempt('database', async () => {
      this.isReadOnly = undefined;
      const { rows } = await this.probe
        .query<{ isReadOnly: boolean }>(IS_READ_ONLY)
        .catch(() => fail('It does not respond.')); // hides the reason from the public
      this.isReadOnly = rows[0]?.isReadOnly;
      if (this.pool.stuckFor() >= STUCK) fail('No connection has come back for a minute.');
    });
    // Degraded rather than down: reads go on, and all replicas have the same PostgreSQL.
    const isDegraded = this.isReadOnly === true && result.database?.status === 'up';
    if (isDegraded && !this.saidReadOnly) this.logger.warn('PostgreSQL is read-only: every write gets 503.');
    this.saidReadOnly = isDegraded;
    return isDegraded
      ? this.indicators.check('database').degraded('It is read-only: every write gets 503.')
      : result;
  }

  private async readOnly(): Promise<boolean | undefined> {
    await this.database();
    return this.isReadOnly;
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

  /** Not by the time limit of an attempt: it would take a delay of this process for one of PostgreSQL. */
  private attempt(name: string, ask: () => Promise<void>) {
    return this.indicators
      .check(name)
      .attempt(() => inTime(ask()))
      .cacheFor(CACHE_TIME);
  }
}

/** @throws Error if it takes longer than a check may */
const inTime = <T>(work: PromiseLike<T> | T): Promise<T> => withTimeout(Promise.resolve(work), TIMEOUT);

function fail(why: string): never {
  throw new Error(why);
}
