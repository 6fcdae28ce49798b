import { randomBytes } from 'node:crypto';
import type { DatabaseActivity } from '../../../src/platform/data/database/activity/database-activity.js';
import { petstore } from '../../support/command-line.js';
import { becomes } from '../../support/eventually.js';
import { createTestDatabase, type TestDatabase, withClient } from '../../support/test-database.js';

const ROLE = `r${randomBytes(4).toString('hex')}`;
let database: TestDatabase;
let asRole: string;

const sql = (text: string) =>
  withClient(database.url, async (client) => (await client.query<object>(text)).rows);

beforeAll(async () => {
  database = await createTestDatabase();
  await sql(`CREATE ROLE ${ROLE} LOGIN PASSWORD 'x'`);
  await sql(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${ROLE}`);
  asRole = Object.assign(new URL(database.url), { username: ROLE, password: 'x', search: '' }).href;
});
afterAll(async () => {
  await sql(`DROP OWNED BY ${ROLE}; DROP ROLE ${ROLE}`);
  await database.drop();
});

async function activity(url: string): Promise<DatabaseActivity> {
  const { code, stdout, stderr } = await petstore(['database', '--json'], { DATABASE_URL: url });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as DatabaseActivity;
}

/** A person who has locked a table in `psql`, and an application that waits for it. */
async function withLockedTable(work: () => Promise<void>): Promise<void> {
  await withClient(database.url, (person) =>
    withClient(database.url, async (report) => {
      await person.query("SET application_name = 'psql'");
      await report.query("SET application_name = 'report'");
      await person.query(`BEGIN; LOCK TABLE webhooks; SELECT 'hunter2'`);
      const waiting = report.query('SELECT id FROM webhooks');
      const waits = `SELECT count(*)::integer FROM pg_stat_activity WHERE application_name = 'report'
                     AND datname = current_database() AND wait_event_type = 'Lock'`;
      await becomes(() => sql(waits), [{ count: 1 }]);
      await work().finally(() => person.query('ROLLBACK'));
      await waiting;
    }),
  );
}

describe('petstore database', () => {
  it('names who holds a lock, for how long and who waits for it, and shows no text of a query', async () => {
    await withLockedTable(async () => {
      const { transactions, connections, tables } = await activity(database.url);
      const [person] = transactions;
      const report = transactions.find(({ application }) => application === 'report');
      expect([person, report]).toEqual([
        {
          pid: expect.any(Number) as number,
          user: new URL(database.url).username,
          application: 'psql',
          state: 'idle in transaction',
          seconds: expect.any(Number) as number,
          waitsFor: [],
          blocks: 1,
          locks: ['webhooks AccessExclusiveLock'],
        },
        expect.objectContaining({
          application: 'report',
          state: 'active',
          waitsFor: [person?.pid],
          blocks: 0,
        }),
      ]);
      expect(person?.seconds).toBeGreaterThanOrEqual(report?.seconds ?? Infinity);
      expect(connections).toContainEqual(
        expect.objectContaining({ application: 'psql', all: 1, active: 0, idleInTransaction: 1 }),
      );
      expect(tables.find(({ table }) => table === 'webhooks')?.bytes).toBeNull();
      const { stdout } = await petstore(['database'], { DATABASE_URL: database.url });
      expect(stdout).toMatch(
        /^PID +USER +APPLICATION .+\n\d+ +\S+ +psql +idle in transaction +\d+ +1 +webhooks /m,
      );
      expect(stdout).not.toContain('hunter2');
      expect(stdout).not.toContain('SELECT');
    });
  });

  it('names the one that blocks without pg_monitor, too, and the grant that shows the rest', async () => {
    await withLockedTable(async () => {
      const { transactions, grant } = await activity(asRole);
      expect(transactions[0]).toMatchObject({ application: 'psql', state: null, seconds: null, blocks: 1 });
      expect(grant).toBe(`GRANT pg_monitor TO ${ROLE}`);
      const { stdout } = await petstore(['database'], { DATABASE_URL: asRole });
      expect(stdout).toMatch(
        new RegExp(`\nWhat other roles do is hidden, until a superuser runs: ${grant ?? ''}\n$`),
      );
      await sql(grant ?? '');
      expect(await activity(asRole)).toMatchObject({
        transactions: [{ application: 'psql', state: 'idle in transaction', blocks: 1 }, {}],
        grant: null,
      });
      await sql(`REVOKE pg_monitor FROM ${ROLE}`);
    });
  });

  it('says how many dead rows a table has, its size, and when it was vacuumed', async () => {
    await sql(
      `CREATE TABLE zoo AS SELECT n FROM generate_series(1, 5000) AS n; ALTER TABLE zoo SET (autovacuum_enabled = off)`,
    );
    await sql('DELETE FROM zoo WHERE n > 1000');
    const zoo = async () => (await activity(database.url)).tables.find(({ table }) => table === 'zoo');
    await becomes(async () => (await zoo())?.deadRows, 4_000);
    expect(await zoo()).toMatchObject({ rows: 1_000, lastVacuum: null });
    expect((await zoo())?.bytes).toBeGreaterThan(100_000);
    await sql('VACUUM zoo');
    await becomes(async () => (await zoo())?.lastVacuum !== null && (await zoo())?.deadRows === 0, true);
  });
});
