import { MIGRATIONS } from '../support/migrations.js';
import { migrate } from '../../src/platform/data/database/migrations/migrate.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { Load } from '../support/load.js';
import { PostgresServer } from '../support/postgres-server.js';
import { COMMAND_LINE, emptyFolder, Program, run, SERVICE } from '../support/program.js';
import { describeWithDisk, SmallDisk } from '../support/small-disk.js';

describeWithDisk('a service whose PostgreSQL has no space left', () => {
  let disk: SmallDisk;
  let server: PostgresServer;
  let folder: Awaited<ReturnType<typeof emptyFolder>>;

  beforeEach(async () => {
    disk = SmallDisk.mount(160);
    folder = await emptyFolder();
  });
  afterEach(async () => {
    disk.free();
    await server.stop().catch(() => undefined);
    disk.unmount();
    await folder.remove();
  });

  it('answers 503 to what it cannot write, loses nothing that it confirmed, and recovers by itself', async () => {
    server = await PostgresServer.start(disk.folder);
    const port = await freePort();
    const surroundings = { cwd: folder.path, env: { DATABASE_URL: server.url, PORT: String(port) } };
    const limits = ['--per-minute', '1000000', '--per-day', '10000000'];
    const args = ['keys', 'create', '--plan', 'enterprise', '--name', 'x', ...limits, '--json'];
    const { key } = JSON.parse((await run(COMMAND_LINE, args, surroundings)).stdout) as { key: string };
    const service = new Program(SERVICE, [], surroundings);
    await service.prints(/listens/);

    const load = new Load(port, key, 8, 2);
    await eventually(() => load.created.length > 50);
    disk.fill();
    const refused = () => load.tally['POST 503 service_unavailable'] ?? 0;
    await eventually(() => refused() > 50);
    const before = load.created.length;
    disk.free();
    await eventually(() => load.created.length > before + 50);
    const tally = await load.stop();
    expect(
      Object.keys(tally).filter((outcome) => !/ (200|201|503 service_unavailable)$/.test(outcome)),
    ).toEqual([]);
    const there = new Set((await server.query('SELECT id::text FROM pets')).map(({ id }) => id));
    const ids = load.created.map((body) => String((JSON.parse(body) as { id: number }).id));
    expect(ids.filter((id) => !there.has(id))).toEqual([]);
    service.signal('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0 });
  });

  it('is told that a migration failed, which the next one finishes', async () => {
    const [first, ...later] = MIGRATIONS;
    server = await PostgresServer.start(disk.folder, first ? [first] : []);
    disk.fill();
    await expect(migrate(server.url, MIGRATIONS)).rejects.toThrow(
      /^(PostgreSQL failed in the middle of a migration|DATABASE_URL: no connection)/,
    );
    disk.free();
    await eventually(() =>
      server.query('SELECT 1').then(
        () => true,
        () => false,
      ),
    );
    const ran = await migrate(server.url, MIGRATIONS);
    expect(ran.at(-1)).toBe(later.at(-1)?.name);
    const invalid = await server.query('SELECT indexrelid::regclass FROM pg_index WHERE NOT indisvalid');
    expect(invalid).toEqual([]);
  });
});
