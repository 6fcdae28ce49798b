import { Controller, HttpCode, Module, Post } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { withStatementTimeout } from '../../src/database/statement-timeout.js';
import { Idempotent } from '../../src/idempotency/idempotent.decorator.js';
import { seconds } from '../../src/kernel/clock/duration.js';
import type { Topic } from './topics.js';

const SLEEP = 'SELECT pg_sleep(2)'; // longer than PostgreSQL grants a statement, and than a connection waits for one
const LIMITS = `SELECT current_setting('statement_timeout') AS statement,
  current_setting('idle_in_transaction_session_timeout') AS idle`;

@Controller({ path: 'on-jobs', version: '1' })
class JobsController {
  constructor(private readonly dataSource: DataSource) {}

  @Post('impatient')
  @HttpCode(204)
  async impatient(): Promise<void> {
    await this.dataSource.query(SLEEP);
  }

  @Post('patient')
  @HttpCode(200)
  patient(): Promise<object> {
    return withStatementTimeout(this.dataSource, seconds(10), sleep);
  }

  @Post('patient-once')
  @HttpCode(200)
  @Idempotent()
  patientOnce(): Promise<object> {
    return withStatementTimeout(this.dataSource, seconds(10), sleep);
  }

  @Post('too-patient')
  @HttpCode(200)
  tooPatient(): Promise<object> {
    return withStatementTimeout(this.dataSource, seconds(1.75), sleep);
  }

  /** Returns the limits of the statements after a patient one. */
  @Post('limits-after-patient-once')
  @HttpCode(200)
  @Idempotent()
  async limitsAfterPatient(): Promise<object> {
    const limits = await this.dataSource.query<object[]>(LIMITS);
    const inner = () =>
      withStatementTimeout(this.dataSource, seconds(20), (manager) => manager.query(LIMITS));
    const nested = await withStatementTimeout(this.dataSource, seconds(10), async (manager) => {
      await inner();
      await manager.query(SLEEP);
      return manager.query<object[]>(LIMITS);
    });
    return { before: limits, nested, after: await this.dataSource.query<object[]>(LIMITS) };
  }

  @Post('limits-of-concurrent-once')
  @HttpCode(200)
  @Idempotent()
  async limitsOfConcurrent(): Promise<object> {
    const limitsWithin = (timeout: number, pauses: number) =>
      withStatementTimeout(this.dataSource, timeout, async (manager) => {
        for (let i = 0; i < pauses; i++) await manager.query('SELECT 1');
        return manager.query<object[]>(LIMITS);
      });
    const within = await Promise.all([limitsWithin(seconds(10), 1), limitsWithin(seconds(20), 5)]);
    return { within: within.flat(), after: await this.dataSource.query<object[]>(LIMITS) };
  }

  /** Runs a statement that only the connection ends. */
  @Post('stuck-once')
  @HttpCode(204)
  @Idempotent()
  async stuckOnce(): Promise<void> {
    await this.dataSource.query('SET LOCAL statement_timeout = 0');
    await this.dataSource.query(SLEEP);
  }

  @Post('stuck-and-caught-once')
  @HttpCode(204)
  @Idempotent()
  async stuckAndCaughtOnce(): Promise<void> {
    await this.stuckOnce().catch(() => undefined);
  }

  @Post('stuck-and-continued-once')
  @HttpCode(204)
  @Idempotent()
  async stuckAndContinuedOnce(): Promise<void> {
    await this.stuckOnce().catch(() => undefined);
    await this.dataSource.query('SELECT 1');
  }

  /** The limits of every connection that the pool has. */
  @Post('limits')
  @HttpCode(200)
  async limits(): Promise<object> {
    const runners = Array.from({ length: 3 }, () => this.dataSource.createQueryRunner());
    const limits = await Promise.all(
      runners.map((runner) => runner.query('SHOW statement_timeout') as Promise<object[]>),
    );
    await Promise.all(runners.map((runner) => runner.release()));
    return { limits: limits.flat() };
  }
}

async function sleep(manager: EntityManager): Promise<object> {
  await manager.query(SLEEP);
  return { slept: true };
}

@Module({
  controllers: [JobsController],
})
class JobsModule {}

export const jobs: Topic = {
  name: 'with jobs',
  module: JobsModule,
  tests(scene) {
    const post = async (path: string, key = '') => {
      const request = scene().client.post(`/v1/on-jobs/${path}`);
      const { status, body } = (await (key ? request.set('Idempotency-Key', key) : request)) as {
        status: number;
        body: unknown;
      };
      return { status, body };
    };

    it('gives a statement 1.25 s, unless a module asks for more', async () => {
      const [impatient, patient, once, tooPatient] = await Promise.all([
        post('impatient'),
        post('patient'),
        post('patient-once', 'sleep'),
        post('too-patient'),
      ]);
      expect(impatient).toMatchObject({ status: 503 });
      expect(patient).toEqual({ status: 200, body: { slept: true } });
      expect(once).toEqual({ status: 200, body: { slept: true } });
      expect(tooPatient).toMatchObject({ status: 503 });
      const limit = { statement_timeout: '1250ms' };
      expect(await post('limits')).toEqual({ status: 200, body: { limits: [limit, limit, limit] } });
    });

    it('gives the later statements of an idempotent request their usual limits', async () => {
      const usual = [{ statement: '1250ms', idle: '5s' }];
      expect(await post('limits-after-patient-once', 'limits')).toEqual({
        status: 200,
        body: { before: usual, nested: [{ statement: '10s', idle: '10s' }], after: usual },
      });
    });

    it('gives concurrent statements of an idempotent request the limits that each asked for', async () => {
      expect(await post('limits-of-concurrent-once', 'concurrent')).toEqual({
        status: 200,
        body: {
          within: [
            { statement: '10s', idle: '10s' },
            { statement: '20s', idle: '20s' },
          ],
          after: [{ statement: '1250ms', idle: '5s' }],
        },
      });
    });

    it.each(['stuck', 'stuck-and-caught', 'stuck-and-continued'])(
      'responds with 503 to an idempotent request whose statement got no answer in time: %s',
      async (path) => {
        expect(await post(`${path}-once`, path)).toMatchObject({ status: 503 });
      },
    );

    it('serves others while a job works', async () => {
      const job = post('patient');
      const others = await Promise.all(Array.from({ length: 20 }, () => scene().client.get('/v1/events')));
      expect(others.map(({ status }) => status)).toEqual(others.map(() => 200));
      expect(await job).toMatchObject({ status: 200 });
    });
  },
};
