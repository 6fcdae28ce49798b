import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckResult } from '../../../src/platform/kernel/config/check-result.js';
import { becomes } from '../../support/eventually.js';
import { COMMAND_LINE, emptyFolder, MIGRATED_DATA, Program, run, SERVICE } from '../../support/program.js';

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

  it('petstore doctor says that it responds, also beside a service, which it recognises on its port', async () => {
    const findings = async (PORT: string) => {
      const { code, stdout, stderr } = await run(COMMAND_LINE, ['doctor', '--json'], {
        cwd: folder.path,
        env: { PORT },
      });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const all = JSON.parse(stdout) as CheckResult[];
      return Object.fromEntries(all.map(({ check, state, finding }) => [check, `${state}: ${finding}`]));
    };
    const embedded = {
      database: `ok: embedded PostgreSQL in ${join(folder.path, '.petstore')} responds`,
      migrations: expect.stringMatching(/^ok: all/) as unknown,
    };
    const service = await started();
    const [, port = ''] = /:(\d+)\/docs/.exec(service.stdout) ?? [];
    const beside = await findings(port);
    expect(beside).toMatchObject({ ...embedded, port: `ok: the pet store already listens on ${port}` });
    expect(await stopped(service)).toMatchObject({ code: 0 });
    expect(await findings(port)).toMatchObject({ ...embedded, port: `ok: ${port} is free on 127.0.0.1` });
  });
});
