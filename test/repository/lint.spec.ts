import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

describe('npm run lint', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'petstore-lint-'));
    const npm =
      '#!/bin/sh\nfor last; do :; done\necho "$last"\ncase " $FAILING " in *" $last "*) exit 1;; esac\n';
    await writeFile(join(folder, 'npm'), npm);
    await chmod(join(folder, 'npm'), 0o755);
  });
  afterAll(() => rm(folder, { recursive: true }));

  const lint = async (failing: string) => {
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: { lint: string } };
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', scripts.lint], {
      env: { PATH: folder, FAILING: failing },
      encoding: 'utf8',
    });
    return { status, ran: stdout.trim().split('\n'), stderr };
  };
  const ran = ['lint:code', 'lint:layers', 'lint:format'];

  it('succeeds if all parts do', async () => {
    expect(await lint('')).toEqual({ status: 0, ran, stderr: '' });
  });

  it('runs all parts if some fail, and names these', async () => {
    expect(await lint('lint:code')).toEqual({ status: 1, ran, stderr: 'Failed: lint:code\n' });
    const stderr = 'Failed: lint:layers lint:format\n';
    expect(await lint('lint:layers lint:format')).toEqual({ status: 1, ran, stderr });
  });
});
