import { jest } from '@jest/globals';
import fc from 'fast-check';
import type { EventEmitter } from 'node:events';
import type { Client } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.js';
import { minutes } from '../../kernel/clock/duration.js';
import { poolOptions } from '../database.module.js';
import { ServiceDataSource } from '../service-data-source.js';
import { TransactionRolledBack } from './service-client.js';

jest.setTimeout(minutes(4)); // generous, for slow machines

let database: TestDatabase;
let plain: DataSource;
let service: DataSource;

beforeAll(async () => {
  database = await createTestDatabase('template1');
  plain = await new DataSource(poolOptions(database.url)).initialize();
  service = await new ServiceDataSource(poolOptions(database.url), { fastPaths: true }).initialize();
  await service.query('CREATE TABLE notes (text text PRIMARY KEY CHECK (text <> $$bad$$))');
});
beforeEach(() => service.query('TRUNCATE notes'));
afterAll(async () => {
  await Promise.all([plain, service].map((dataSource) => dataSource.destroy()));
  await database.drop();
});

const write = (by: DataSource | EntityManager, text: string) =>
  by.query('INSERT INTO notes (text) VALUES ($1)', [text]);
const texts = async () =>
  (await service.query<{ text: string }[]>('SELECT text FROM notes ORDER BY text')).map(({ text }) => text);

const ISOLATION = ['READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE'] as const;

/** The steps of a transaction, in order. */
type Step =
  | { readonly kind: 'write'; readonly text: string; readonly isCaught: boolean }
  | { readonly kind: 'together'; readonly texts: readonly string[]; readonly isCaught: boolean }
  | { readonly kind: 'nested'; readonly steps: readonly Step[]; readonly isCaught: boolean }
  | { readonly kind: 'savepoint'; readonly steps: readonly Step[] }
  | { readonly kind: 'throw' };

const text = fc.constantFrom('a', 'b', 'c', 'd', 'bad');
const { step } = fc.letrec<{ step: Step; steps: Step[] }>((tie) => ({
  step: fc.oneof(
    { depthSize: 'small' },
    fc.record({ kind: fc.constant('write' as const), text, isCaught: fc.boolean() }),
    fc.record({
      kind: fc.constant('together' as const),
      texts: fc.array(text, { maxLength: 3 }),
      isCaught: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('nested' as const), steps: tie('steps'), isCaught: fc.boolean() }),
    fc.record({ kind: fc.constant('savepoint' as const), steps: tie('steps') }),
    fc.record({ kind: fc.constant('throw' as const) }),
  ),
  steps: fc.array(tie('step'), { maxLength: 5 }),
}));

async function run(manager: EntityManager, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    await perform(manager, step).catch((error: unknown) => {
      if (!('isCaught' in step && step.isCaught)) throw error;
    });
  }
}

async function perform(manager: EntityManager, step: Step): Promise<void> {
  if (step.kind === 'throw') throw new Error('of the program');
  if (step.kind === 'nested') await manager.transaction((inner) => run(inner, step.steps));
  else if (step.kind === 'write') await write(manager, step.text);
  else if (step.kind === 'together') await Promise.all(step.texts.map((one) => write(manager, one)));
  else {
    await manager.query('SAVEPOINT by_hand');
    await run(manager, step.steps).catch(() => manager.query('ROLLBACK TO SAVEPOINT by_hand'));
  }
}

interface Outcome {
  readonly error?: string;
  readonly rows: readonly string[];
}

/** @returns also whether PostgreSQL would execute the COMMIT as a ROLLBACK */
async function outcomeOf(
  dataSource: DataSource,
  isolation: (typeof ISOLATION)[number],
  steps: readonly Step[],
): Promise<Outcome & { readonly hasFailed: boolean }> {
  await service.query('TRUNCATE notes');
  let hasFailed = false;
  const done = dataSource.transaction(isolation, async (manager) => {
    await run(manager, steps);
    const client = (await manager.queryRunner?.connect()) as Client;
    await client.query('').catch(() => undefined); // waits for statements that were not awaited
    hasFailed = client.getTransactionStatus() === 'E';
  });
  const error = await done.then(
    () => undefined,
    (thrown: unknown) => (thrown as Error).message,
  );
  return { error, rows: await texts(), hasFailed };
}

describe('a transaction', () => {
  it('behaves as in TypeORM, except that a COMMIT that rolls back throws', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...ISOLATION),
        fc.array(step, { maxLength: 8 }),
        async (isolation, steps) => {
          const expected = await outcomeOf(plain, isolation, steps);
          const actual = await outcomeOf(service, isolation, steps);
          expect(actual).toEqual(
            expected.hasFailed ? { ...expected, error: new TransactionRolledBack().message } : expected,
          );
        },
      ),
      { numRuns: 150 },
    );
  });

  it('throws at COMMIT if the error of a failed statement was caught', async () => {
    const done = service.transaction(async (manager) => {
      await write(manager, 'a');
      await write(manager, 'bad').catch(() => undefined);
    });
    await expect(done).rejects.toThrow(new TransactionRolledBack().message);
    expect(await texts()).toEqual([]);
  });

  it('is known to have failed as soon as PostgreSQL has sent the error', async () => {
    await service.transaction(async (manager) => {
      const client = (await manager.queryRunner?.connect()) as Client & { readonly connection: EventEmitter };
      const known = jest.fn();
      client.connection.once('errorMessage', () => {
        known(client.getTransactionStatus()); // the new status may be in the next packet
      });
      await manager.query('SAVEPOINT before');
      await write(manager, 'bad').catch(() => undefined);
      expect(known).toHaveBeenCalledWith('E');
      await manager.query('ROLLBACK TO SAVEPOINT before');
      expect(client.getTransactionStatus()).toBe('T');
    });
  });

  it('throws at COMMIT if a failed statement was not awaited', async () => {
    let late: Promise<unknown> = Promise.resolve();
    const done = service.transaction(async (manager) => {
      await write(manager, 'a');
      late = write(manager, 'bad').catch(() => undefined);
    });
    await expect(done).rejects.toThrow(new TransactionRolledBack().message);
    await late;
    expect(await texts()).toEqual([]);
  });

  it('notifies subscribers of a rollback, not of a commit, if the COMMIT rolls back', async () => {
    const seen: string[] = [];
    service.subscribers.push({
      afterTransactionCommit: () => void seen.push('commit'),
      afterTransactionRollback: () => void seen.push('rollback'),
    });
    const done = service.transaction((manager) => write(manager, 'bad').catch(() => undefined));
    await expect(done).rejects.toThrow(new TransactionRolledBack().message);
    service.subscribers.pop();
    expect(seen).toEqual(['rollback']);
  });
});
