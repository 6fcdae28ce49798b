import { freePort } from '../support/free-port.js';
import { PostgresServer } from '../support/postgres-server.js';
import { COMMAND_LINE, emptyFolder, Program, run, SERVICE } from '../support/program.js';

describe('a start with a PostgreSQL that is read-only', () => {
  let server: PostgresServer;
  let folder: Awaited<ReturnType<typeof emptyFolder>>;
  beforeAll(async () => {
    [folder, server] = await Promise.all([emptyFolder(), PostgresServer.start()]);
  });
  afterAll(async () => {
    await server.stop();
    await folder.remove();
  });
  const surroundings = async (url = server.url) => ({
    cwd: folder.path,
    env: { DATABASE_URL: url, PORT: String(await freePort()) },
  });

  it('is refused in one sentence after a stated wait, and a worker too', async () => {
    await server.set('default_transaction_read_only', 'on');
    const refusals = await Promise.all([
      run(SERVICE, [], await surroundings()),
      run(COMMAND_LINE, ['worker'], await surroundings()),
    ]);
    for (const { code, stdout, stderr } of refusals) {
      expect(stdout).toContain('PostgreSQL is read-only. Waiting up to 30 s until it takes writes…');
      expect(stderr).toMatch(/^petstore: DATABASE_URL: PostgreSQL is read-only\. Name the primary.+\n$/);
      expect(code).toBe(1);
    }
  });

  it('goes on when PostgreSQL takes writes', async () => {
    const service = new Program(SERVICE, [], await surroundings());
    await service.prints(/Waiting up to 30 s/);
    await server.set('default_transaction_read_only', 'off');
    await service.prints(/listens/);
    service.signal('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0 });
  });

  it('doctor names a standby', async () => {
    const standby = await PostgresServer.standbyOf(server);
    const { code, stdout } = await run(COMMAND_LINE, ['doctor'], await surroundings(standby.url));
    await standby.stop();
    expect(stdout).toMatch(/^fail +database +DATABASE_URL: PostgreSQL is read-only\.$/m);
    expect(code).toBe(1);
  });
});
