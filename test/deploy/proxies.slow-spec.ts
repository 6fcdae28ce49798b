import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describeWhereFound } from '../support/describe-with.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { nginxOf } from '../support/nginx.js';
import { emptyFolder } from '../support/program.js';
import { readText } from '../support/repository.js';

/** The Caddyfile of docs/systemd.md. */
const caddyfile = (): string => /```caddyfile\n(.+?)```/s.exec(readText('docs/systemd.md'))?.[1] ?? '';

const PROXIES = {
  caddyfile: {
    configOf: (port: number) =>
      `{\n\tadmin off\n}\n${caddyfile().replace('pets.example.com {', `http://127.0.0.1:${port} {`)}`,
    args: (file: string) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
  nginx: {
    configOf: nginxOf,
    args: (file: string) => ['-c', file],
  },
} as const;

describe.each([
  ['caddy', 'caddyfile'],
  ['nginx', 'nginx'],
] as const)('docs/systemd.md', (program, kind) => {
  describeWhereFound(program, `its proxy of ${program}`, () => {
    let folder: Awaited<ReturnType<typeof emptyFolder>>;
    let service: Server;
    let proxy: ReturnType<typeof spawn>;
    let base: string;

    beforeAll(async () => {
      folder = await emptyFolder();
      service = createServer(({ url, headers }, response) => {
        if (url === '/v1/long') response.setHeader('Link', 'l'.repeat(8_192));
        response.end(JSON.stringify({ url, from: headers['x-forwarded-for'] }));
      }).listen(0, '127.0.0.1');
      await once(service, 'listening');
      const port = await freePort();
      base = `http://127.0.0.1:${port}`;
      const { configOf, args } = PROXIES[kind];
      const file = join(folder.path, 'proxy.conf');
      const replica = (service.address() as AddressInfo).port;
      writeFileSync(file, configOf(port, folder.path).replaceAll('127.0.0.1:3000', `127.0.0.1:${replica}`));
      proxy = spawn(program, args(file), {
        stdio: 'ignore',
        env: { PATH: '/usr/local/bin:/usr/sbin:/usr/bin', HOME: folder.path },
      });
      await eventually(() =>
        fetch(`${base}/v1/pets`).then(
          ({ status }) => status === 200,
          () => false,
        ),
      );
    });
    afterAll(async () => {
      proxy.kill();
      await once(proxy, 'close');
      service.close();
      await folder.remove();
    });

    it.each(['/v1', '/v1/pets?limit=1', '/docs', '/docs/a.js', '/openapi.json', '/openapi.yaml'])(
      'forwards %s',
      async (path) => {
        expect(await (await fetch(base + path)).json()).toMatchObject({ url: path });
      },
    );

    it.each(['/', '/metrics', '/health/ready', '/v10', '/docsx'])('keeps %s to itself', async (path) => {
      expect((await fetch(base + path)).status).toBe(404);
    });

    it('passes on long headers, of requests and of responses', async () => {
      const response = await fetch(`${base}/v1/long`, { headers: { 'X-Long': 'l'.repeat(15_000) } });
      expect(response.status).toBe(200);
      expect(response.headers.get('Link')).toHaveLength(8_192);
    });

    it('names the address of the client, which cannot choose it', async () => {
      const response = await fetch(`${base}/v1/pets`, { headers: { 'X-Forwarded-For': '192.0.2.1' } });
      expect(await response.json()).toMatchObject({ from: '127.0.0.1' });
    });
  });
});
