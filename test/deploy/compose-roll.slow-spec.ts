import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../support/eventually.js';
import { WorkingCopy } from '../support/checkout.js';
import { freePort } from '../support/free-port.js';
import { Load } from '../support/load.js';
import { skipped } from '../support/skipped.js';

const answers = (...args: string[]) => spawnSync('docker', args, { stdio: 'ignore' }).status === 0;
const isInstalled = answers('compose', 'version') && answers('info');
if (!isInstalled) skipped('the production stack on Docker', 'install Docker with Compose 2.26 or newer');

(isInstalled ? describe : describe.skip)('the production stack on Docker, under load', () => {
  const project = `petstore-${randomUUID().slice(0, 8)}`;
  const [first, second, broken] = [`${project}-first`, `${project}-second`, `${project}-broken`];
  let copy: WorkingCopy;
  let port: number;
  let load: Load | undefined;

  /** With the variables of this machine, which say where Docker is. */
  const inside = async (program: string, args: string[], settings: Record<string, string> = {}) => {
    const all = { COMPOSE_PROJECT_NAME: project, ROLL_WATCH_SECONDS: '2', ...settings };
    const assignments = Object.entries(all).map(([name, value]) => `${name}=${value}`);
    return (await promisify(execFile)('env', [...assignments, program, ...args], { cwd: copy.path })).stdout;
  };
  const compose = (...args: string[]) => inside('docker', ['compose', ...args]);
  const up = (settings?: Record<string, string>) => inside('docker', ['compose', 'up', '--detach'], settings);
  const roll = (version: string) => inside('deploy/compose/roll.sh', [version]);
  /** The containers that run, by their ids. */
  const running = async () => (await compose('ps', '--quiet')).trim().split('\n').sort();
  const runsOn = async () => {
    const before = load?.sent ?? 0;
    await eventually(() => (load?.sent ?? 0) > before + 200);
  };

  beforeAll(async () => {
    copy = await WorkingCopy.make();
    port = await freePort();
    appendFileSync(
      join(copy.path, '.env'),
      [
        'COMPOSE_FILE=docker-compose.yml:deploy/compose/production.yml',
        `PETSTORE_PORT=${port}`,
        `PETSTORE_TLS_PORT=${await freePort()}`,
        'PUBLIC_URL=https://pets.example.com',
        `PETSTORE_VERSION=${first}`,
        '',
      ].join('\n'),
    );
    await compose('up', '--detach', '--build');
    await inside('docker', ['tag', `petstore:${first}`, `petstore:${second}`]);
    const limits = ['--plan', 'enterprise', '--per-minute', '1000000', '--per-day', '10000000'];
    const created = await inside('deploy/compose/petstore.sh', [
      ...['keys', 'create', '--name', 'load', ...limits, '--json'],
    ]);
    const { key } = JSON.parse(created) as { key: string };
    load = new Load(port, key);
    await runsOn();
  });
  afterAll(async () => {
    await load?.stop();
    await compose('down', '--volumes', '--timeout', '1').catch(() => undefined);
    const images = [first, second, broken].map((version) => `petstore:${version}`);
    await inside('docker', ['rmi', '--force', ...images]).catch(() => undefined);
    await copy.remove();
  });

  it('replaces only replicas and worker with roll.sh, and nothing at the `up` after it', async () => {
    const before = await running();
    await roll(second);
    const rolled = await running();
    expect(rolled.filter((id) => before.includes(id))).toHaveLength(3); // PostgreSQL, Redis and the proxy
    await up();
    expect(await running()).toEqual(rolled);
    expect(readFileSync(join(copy.path, '.env'), 'utf8')).toContain(`PETSTORE_VERSION=${second}`);
    await runsOn();
  });

  it('leaves everything as it is if the new version does not start, at the `up` after it, too', async () => {
    const before = await running();
    const crashing = `printf 'FROM petstore:${first}\\nCMD ["false"]\\n' | docker build --tag petstore:${broken} -`;
    await inside('sh', ['-c', crashing]);
    await expect(roll(broken)).rejects.toMatchObject({
      stderr: expect.stringContaining('The old replicas and the old worker keep running.') as unknown,
    });
    expect(await running()).toEqual(before);
    await up();
    expect(await running()).toEqual(before);
    await runsOn();
  });

  it('adds what a changed setting asks for, and replaces nothing else', async () => {
    const before = await running();
    await up({ PETSTORE_REPLICAS: '3' });
    const more = await running();
    expect(more).toEqual(expect.arrayContaining(before));
    expect(more).toHaveLength(before.length + 1);
    await up({ PETSTORE_REPLICAS: '3' });
    expect(await running()).toEqual(more);
    await runsOn();
  });

  it('goes back in the same way, without Redis too', async () => {
    await compose('stop', 'redis');
    await roll(first);
    const rolled = await running();
    await up(); // which starts Redis
    expect(await running()).toEqual(expect.arrayContaining(rolled));
    expect(await running()).toHaveLength(rolled.length + 1);
    await runsOn();
  });

  it('has failed no request meanwhile', async () => {
    expect(Object.keys((await load?.stop()) ?? {}).sort()).toEqual(['GET 200', 'POST 201']);
  });
});
