import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Certificates } from '../support/certificates.js';
import { becomes, eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { PostgresServer } from '../support/postgres-server.js';
import { COMMAND_LINE, emptyFolder, Program, run, SERVICE } from '../support/program.js';
import { PREFIX } from '../support/prefix.js';

const [FIRST, SECOND] = ['open-sesame-1', 'open-sesame-2'];

/** The server speaks TLS, and the URL of the service is in a file. */
describe('a service with credentials for its PostgreSQL', () => {
  let server: PostgresServer;
  let folder: Awaited<ReturnType<typeof emptyFolder>>;
  let certificates: Certificates;
  let file: string;

  beforeAll(async () => {
    certificates = new Certificates();
    [folder, server] = await Promise.all([emptyFolder(), PostgresServer.start()]);
    await server.useTls(certificates);
    file = join(folder.path, 'database-url');
    await server.query(`CREATE ROLE service LOGIN SUPERUSER PASSWORD '${FIRST}'`);
  });
  afterAll(async () => {
    await server.stop();
    await folder.remove();
    certificates.remove();
  });

  function urlWith(changes: { password: string; hostname?: string; authority?: string }): string {
    const { password, hostname = '127.0.0.1', authority = certificates.authority } = changes;
    const url = Object.assign(new URL(server.url), { username: 'service', password, hostname });
    url.search = `?sslmode=verify-full&sslrootcert=${encodeURIComponent(authority)}`;
    return url.href;
  }
  const here = (url: string) => ({ cwd: folder.path, env: { DATABASE_URL: url, PORT: '0' } });

  it.each([
    ['a certificate for another host', () => urlWith({ password: FIRST, hostname: 'localhost' })],
    [
      'an authority that it does not know',
      () => urlWith({ password: FIRST, authority: certificates.foreign }),
    ],
  ])('refuses %s with sslmode=verify-full, in one line', async (_what, url) => {
    const { code, stderr } = await run(SERVICE, [], here(url()));
    expect(stderr).toMatch(/^\S.*DATABASE_URL: no connection \(.*\)\..*\n$/);
    expect(stderr).not.toContain(FIRST);
    expect(code).toBe(1);
  });

  it('continues after a password rotation without a restart, and returns 503 in between', async () => {
    const port = await freePort();
    await writeFile(file, urlWith({ password: FIRST }));
    const args = ['keys', 'create', '--plan', 'pro', '--name', 'x', '--json'];
    await run(COMMAND_LINE, ['migrate'], here(urlWith({ password: FIRST })));
    const created = await run(COMMAND_LINE, args, here(urlWith({ password: FIRST })));
    const { key } = JSON.parse(created.stdout) as { key: string };
    const env = { DATABASE_URL_FILE: file, PORT: String(port) };
    const service = new Program(SERVICE, [], { cwd: folder.path, env });
    await service.prints(/listens/);
    const status = async () =>
      (await fetch(`http://127.0.0.1:${port}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } }))
        .status;
    expect(await status()).toBe(200);
    expect(await connections()).toEqual([{ ssl: true }]);

    await server.query(`ALTER ROLE service PASSWORD '${SECOND}'`);
    expect(await status()).toBe(200); // its open connections stay
    await server.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'service'`);
    await eventually(async () => {
      await status();
      return service.stdout.includes('password authentication failed'); // the message that operators look for
    });
    expect(await status()).toBe(503);
    await writeFile(file, urlWith({ password: SECOND }));
    await becomes(() => status(), 200);
    await becomes(() => listeners(), 1);

    service.signal('SIGTERM');
    const { code, stdout, stderr } = await service.ended;
    expect(code).toBe(0);
    expect(`${stdout}${stderr}`).not.toContain('open-sesame');
  });

  const connections = () =>
    server.query(
      `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name LIKE '${PREFIX}%' AND usename = 'service'`,
    );
  const listeners = async () =>
    (await server.query(`SELECT 1 FROM pg_stat_activity WHERE application_name = '${PREFIX} key changes'`))
      .length;
});
