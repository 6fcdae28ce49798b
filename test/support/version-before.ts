import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { satisfies } from 'semver';
import { emptyFolder } from './program.js';

const ROOT = join(import.meta.dirname, '../..');

/**
 * The commit before the newest migration was added.
 * @returns undefined if the history is missing, such as in a shallow clone
 */
export function commitBefore(): string | undefined {
  const paths = ['migrations', 'src/platform/program/migrations'];
  const added = git('log', '-1', '--diff-filter=A', '--format=%H', '--', ...paths);
  return added && git('rev-parse', '--verify', '--quiet', `${added}^`);
}

/** The commit of the last release before this one. @returns undefined if the history is missing */
export const lastRelease = (): string | undefined =>
  git('log', '-1', '--grep=^chore(release): ', '--format=%H', 'HEAD^');

const builds = new Map<string, Promise<string>>();

/** The folder of a commit that is built. It is removed with the folder of the run. */
export function buildOf(commit: string): Promise<string> {
  const build = builds.get(commit) ?? buildCommit(commit);
  builds.set(commit, build);
  return build;
}

/** With the packages that are installed, and those that only it needs. */
async function buildCommit(commit: string): Promise<string> {
  const { path: folder } = await emptyFolder();
  const path = join(folder, 'version');
  await mkdir(join(path, 'dist'), { recursive: true });
  const archive = join(folder, 'source.tar');
  git('archive', '--output', archive, commit);
  spawnSync('tar', ['-xf', archive, '-C', path]);
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const missing = missingPackages(path);
  if (missing.length > 0) {
    npm(folder, 'install', '--prefix', 'missing', '--ignore-scripts', '--no-audit', '--no-fund', ...missing);
    await rename(join(folder, 'missing/node_modules'), join(path, 'node_modules'));
  }
  npm(path, 'run', '--silent', 'pretest');
  return path;
}

/** What a version depends on and this one has not, as `name@range`. */
function missingPackages(path: string): string[] {
  const versionOf = (name: string) => {
    const file = join(ROOT, 'node_modules', name, 'package.json');
    return existsSync(file) ? (readJson(file) as { version: string }).version : '0.0.0';
  };
  const { dependencies } = readJson(join(path, 'package.json')) as { dependencies: Record<string, string> };
  return Object.entries(dependencies)
    .filter(([name, range]) => !satisfies(versionOf(name), range))
    .map(([name, range]) => `${name}@${range}`);
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

function npm(cwd: string, ...args: string[]): void {
  const { status, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed in the version before: ${stderr}`);
}

function git(...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  return status === 0 && stdout.trim() !== '' ? stdout.trim() : undefined;
}
