import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { emptyFolder } from '../support/program.js';
import { filesIn, readText } from '../support/repository.js';

const run = promisify(execFile);

const FILES = {
  'package.json': '{ "version": "1.1.0" }',
  'package-lock.json': '{ "version": "1.1.0" }',
  'clients/typescript/package.json': '{ "version": "1.1.0" }',
  'clients/python/src/petstore/version.py': 'VERSION = "1.1.0"',
  'CHANGELOG.md':
    '## [Unreleased]\n\n## [1.1.0] - 2026-12-01\n\n### Added\n\n- Toys.\n\n## [1.0.0] - 2026-11-21\n\n- Pets.\n',
};

describe('the notes of a release', () => {
  let folder: Awaited<ReturnType<typeof emptyFolder>>;
  beforeEach(async () => {
    folder = await emptyFolder();
    const files = { ...FILES, '.ci/release-notes.mjs': readText('.ci/release-notes.mjs') };
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder.path, file)), { recursive: true });
      writeFileSync(join(folder.path, file), text);
    }
  });
  afterEach(() => folder.remove());
  const notes = (tag: string) => run(process.execPath, [join(folder.path, '.ci/release-notes.mjs'), tag]);

  it('are its section of the changelog', async () => {
    expect(await notes('v1.1.0')).toMatchObject({ stdout: '### Added\n\n- Toys.\n' });
  });

  it.each(Object.keys(FILES))('are refused if %s has another version', async (file) => {
    const path = join(folder.path, file);
    writeFileSync(path, readFileSync(path, 'utf8').replace('1.1.0', '1.0.9'));
    await expect(notes('v1.1.0')).rejects.toMatchObject({ code: 1 });
  });

  it('are refused for another tag', async () => {
    await expect(notes('v0.9.9')).rejects.toMatchObject({
      code: 1,
      stderr: 'package.json says 1.1.0, the tag 0.9.9.\n',
    });
  });
});

describe('a release', () => {
  it('names the repository that it runs in in the metadata of both clients', () => {
    const named = 'petstore-service/petstore-service';
    for (const file of ['clients/typescript/package.json', 'clients/python/pyproject.toml']) {
      const replaces = `sed -i "s#${named}#$GITHUB_REPOSITORY#" ${file.split('/').at(-1)}`;
      expect(readText('.github/workflows/release.yml')).toContain(replaces);
      for (const [, repository] of readText(file).matchAll(/github\.com\/([\w-]+\/[\w-]+)/g))
        expect(repository).toBe(named);
    }
  });

  it('has a valid date, below the unreleased changes', () => {
    const [first = '', second = ''] = readText('CHANGELOG.md').match(/^## .*$/gm) ?? [];
    expect(first).toBe('## [Unreleased]');
    const [, date = ''] = / - (\S+)$/.exec(second) ?? [];
    expect(new Date(date).toISOString()).toMatch(date);
  });
});

describe('the workflows', () => {
  it.each(filesIn('.github/workflows'))('pin each action by commit: %s', (name) => {
    const actions = readText(`.github/workflows/${name}`).match(/uses: [^.].*/g) ?? [];
    for (const action of actions) expect(action).toMatch(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });
});
