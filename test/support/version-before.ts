import { spawnSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder } from './program.js';

const ROOT = join(import.meta.dirname, '../..');

/**
 * The commit before the newest migration was added, or a given one.
 * @returns undefined if the history is missing, such as in a shallow clone
 */
export function commitBefore(migration = 'migrations'): string | undefined {
  const added = git('log', '-1', '--diff-filter=A', '--format=%H', '--', migration);
  return added && git('rev-parse', '--verify', '--quiet', `${added}^`);
}

const builds = new Map<string, Promise<string>>();

/** The folder of a commit that is built. It is removed with the folder of the run. */
export function buildOf(commit: string): Promise<string> {
  const build = builds.get(commit) ?? buildCommit(commit);
  builds.set(commit, build);
  return build;
}

/** With the installed packages, or its own if its lock file names others. */
async function buildCommit(commit: string): Promise<string> {
  const { path } = await emptyFolder();
  const archive = join(path, 'source.tar');
  git('archive', '--output', archive, commit);
  spawnSync('tar', ['-xf', archive, '-C', path]);
  await mkdir(join(path, 'dist'), { recursive: true });
  if (git('diff', '--name-only', commit, '--', 'package-lock.json') === undefined)
    await symlink(join(ROOT, 'node_modules'), join(path, 'node_modules'));
  else npm(path, 'ci', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund');
  npm(path, 'run', '--silent', 'pretest');
  return path;
}

function npm(cwd: string, ...args: string[]): void {
  const { status, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed in the version before: ${stderr}`);
}

function git(...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  return status === 0 && stdout.trim() !== '' ? stdout.trim() : undefined;
}
