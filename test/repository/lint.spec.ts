import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Linter } from 'eslint';
import tseslint from 'typescript-eslint';
// @ts-expect-error -- configuration of ESLint has no types
import config from '../../eslint.config.mjs';

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

describe('the import of a file', () => {
  const [rules] = (config as Linter.Config[]).flatMap(({ rules }) =>
    rules?.['no-restricted-syntax'] ? [rules] : [],
  );
  const problems = (code: string) =>
    new Linter()
      .verify(code, {
        languageOptions: { parser: tseslint.parser },
        rules: { 'no-restricted-syntax': rules?.['no-restricted-syntax'] },
      })
      .map(({ message }) => message);

  it.each([
    "import { WeekdayGuard } from './weekday.guard';",
    "import type { Int64 } from '../platform/index';",
    "import './side-effect';",
    "import { Pet } from '..';",
    "export { Pet } from './pet.entity';",
    "export * from './pet.entity';",
    "await import('./pets.module');",
  ])('needs its extension: %s', (code) => {
    expect(problems(code)).toEqual(['Node.js imports files by their whole name: end it with ".js".']);
  });

  it.each([
    "import { WeekdayGuard } from './weekday.guard.js';",
    "import { validatedTypes } from '../../.ci/validated-types.mjs';",
    "import data from './data.json' with { type: 'json' };",
    "import { tap } from 'rxjs';",
    "import { join } from 'node:path';",
    "export const here = './weekday.guard';",
    'await import(name);',
  ])('may be %s', (code) => {
    expect(problems(code)).toEqual([]);
  });
});
