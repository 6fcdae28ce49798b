import { becomes } from './support/eventually.js';
import { COMMAND_LINE, emptyFolder, Program, run, SERVICE } from './support/program.js';

let folder: Awaited<ReturnType<typeof emptyFolder>>;

beforeAll(async () => {
  folder = await emptyFolder();
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

  it('works without a service, on a folder that did not exist, and beside one', async () => {
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
});
