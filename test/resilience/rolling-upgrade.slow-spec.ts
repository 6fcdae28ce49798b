import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { Load } from '../support/load.js';
import { COMMAND_LINE, run, SERVICE } from '../support/program.js';
import { Replicas } from '../support/replicas.js';
import { appliedMigrations } from '../support/schema.js';
import { createTestDatabase, type TestDatabase, withClient } from '../support/test-database.js';
import { buildCommit, commitBeforeNewestMigration } from '../support/version-before.js';

const commit = commitBeforeNewestMigration();
if (commit === undefined) {
  process.stderr.write(
    'Skipped, because the clone has no history: an upgrade from the previous version, and its rollback\n',
  );
}

(commit === undefined ? describe.skip : describe)('an upgrade from the version before', () => {
  let old: Awaited<ReturnType<typeof buildCommit>>;
  let database: TestDatabase;
  let replicas: Replicas;

  const petstore = (commandLine: string, ...args: string[]) =>
    run(commandLine, args, { cwd: old.path, env: { DATABASE_URL: database.url } });

  beforeAll(async () => {
    old = await buildCommit(commit ?? '');
    database = await createTestDatabase('template1');
    expect(await petstore(join(old.path, 'bin/petstore.js'), 'migrate')).toMatchObject({ code: 0 });
    replicas = await Replicas.start(2, database.url, join(old.path, 'dist/src/main.js'));
  });
  afterAll(async () => {
    await replicas.stop();
    await database.drop();
    await old.remove();
  });

  it('fail no request while they are replaced one by one: both versions work on the new tables', async () => {
    const limits = ['--plan', 'enterprise', '--per-minute', '1000000', '--per-day', '10000000'];
    const created = await petstore(
      join(old.path, 'bin/petstore.js'),
      ...['keys', 'create', '--name', 'load', ...limits, '--json'],
    );
    const { key } = JSON.parse(created.stdout) as { key: string };
    const load = new Load(replicas.balancer.port, key);
    const runsOn = async () => {
      const before = load.sent;
      await eventually(() => load.sent > before + 200);
    };

    await runsOn();
    const before = await appliedMigrations(database.url);
    expect(await petstore(COMMAND_LINE, 'migrate')).toMatchObject({ code: 0 });
    expect((await appliedMigrations(database.url)).length).toBeGreaterThan(before.length);
    for (const version of [SERVICE, join(old.path, 'dist/src/main.js')]) {
      await replicas.restart(
        runsOn,
        async (program) => {
          expect(await program.ended).toMatchObject({ code: 0 });
        },
        version,
      );
      await runsOn();
    }

    const tally = await load.stop();
    expect(Object.keys(tally).sort()).toEqual(['GET 200', 'POST 201']);
    const { rows } = await withClient(database.url, (client) =>
      client.query<{ count: string }>('SELECT count(*) FROM pets'),
    );
    expect(Number(rows[0]?.count)).toBe(load.created.length);
  });
});
