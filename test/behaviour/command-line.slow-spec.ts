import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckResult } from '../../src/platform/cli/doctor/check-result.js';
import { becomes } from '../support/eventually.js';
import { COMMAND_LINE, emptyFolder, MIGRATED_DATA, Program, run, SERVICE } from '../support/program.js';

let folder: Awaited<ReturnType<typeof emptyFolder>>;

beforeAll(async () => {
  folder = await emptyFolder();
  await cp(MIGRATED_DATA, join(folder.path, '.petstore'), { recursive: true }); // as after a first start
});
afterAll(() => folder.remove());

interface Key {
  readonly id: number;
  readonly key: string;
}

describe('petstore with the embedded database', () => {
  const embedded = (...args: string[]) => run(COMMAND_LINE, [...args, '--json'], { cwd: folder.path });
  const started = async () => {
    const service = new Program(SERVICE, [], { cwd: folder.path, env: { PORT: '0' } });
    await service.prints(/listens[^]*\n$/);
    return service;
  };
  const stopped = (service: Program) => {
    service.signal('SIGINT');
    return service.ended;
  };
  const ask = async ({ stdout }: Program, key: string) => {
    const [base] = /http:\S+(?=\/docs)/.exec(stdout) ?? [''];
    return (await fetch(`${base}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } })).status;
  };

  it('works without a service, once it has started, and beside one', async () => {
    const alone = JSON.parse(
      (await embedded('keys', 'create', '--plan', 'free', '--name', 'alone')).stdout,
    ) as Key;

    const service = await started();
    expect(await ask(service, alone.key)).toBe(200);
    const beside = JSON.parse(
      (await embedded('keys', 'create', '--plan', 'free', '--name', 'beside')).stdout,
    ) as Key;
    expect(await ask(service, beside.key)).toBe(200);
    expect(await embedded('keys', 'revoke', String(beside.id))).toMatchObject({ code: 0 });
    await becomes(() => ask(service, beside.key), 401);
    expect(await ask(service, alone.key)).toBe(200);
    expect(await stopped(service)).toMatchObject({ code: 0, stderr: '' });
  });

  it('petstore doctor says whether it runs, and recognises the service on its port', async () => {
    const path = join(folder.path, '.petstore');
    const findings = async (PORT: string) => {
      const { code, stdout, stderr } = await run(COMMAND_LINE, ['doctor', '--json'], {
        cwd: folder.path,
        env: { PORT },
      });
      const all = JSON.parse(stdout) as CheckResult[];
      return {
        code,
        stderr,
        ...Object.fromEntries(all.map(({ check, state, finding }) => [check, `${state}: ${finding}`])),
      };
    };
    const starting = (text: string): unknown => expect.stringMatching(new RegExp(`^${text}`));
    const service = await started();
    const [, port = ''] = /:(\d+)\/docs/.exec(service.stdout) ?? [];
    expect(await findings(port)).toMatchObject({
      code: 0,
      stderr: '',
      database: starting(`ok: embedded PostgreSQL \\d+\\.\\d+ in ${path}, running on port \\d+$`),
      migrations: starting('ok: all'),
      port: `ok: the pet store already listens on ${port}`,
    });

    const leftBehind = join(path, 'postgres', 'postmaster.pid');
    const content = await readFile(leftBehind, 'utf8');
    expect(await stopped(service)).toMatchObject({ code: 0 });
    const notRunning = {
      code: 0,
      stderr: '',
      database: `ok: embedded PostgreSQL in ${path}, not running`,
    };
    expect(await findings(port)).toMatchObject({ ...notRunning, port: `ok: ${port} is free on 127.0.0.1` });

    await writeFile(leftBehind, content); // as after a crash
    expect(await findings('0')).toMatchObject(notRunning);
    expect(await readFile(leftBehind, 'utf8')).toBe(content);
  });
});
