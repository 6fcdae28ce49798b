import { spawnSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder } from './program.js';

const ROOT = join(import.meta.dirname, '../..');

/**
 * The commit before the newest migration was added, which is the newest version with another schema.
 * @returns undefined if the history is missing, such as in a shallow clone
 */
export function commitBeforeNewestMigration(): string | undefined {
  const added = git('log', '-1', '--diff-filter=A', '--format=%H', '--', 'migrations');
  return added && git('rev-parse', '--verify', '--quiet', `${added}^`);
}

/** Builds a commit in a separate folder, with the installed packages, or its own if its lock file names others. */
export async function buildCommit(commit: string): Promise<Awaited<ReturnType<typeof emptyFolder>>> {
  const folder = await emptyFolder();
  const { path } = folder;
  const archive = join(path, 'source.tar');
  git('archive', '--output', archive, commit);
  spawnSync('tar', ['-xf', archive, '-C', path]);
  await mkdir(join(path, 'dist'), { recursive: true });
  if (git('diff', '--name-only', commit, '--', 'package-lock.json') === undefined)
    await symlink(join(ROOT, 'node_modules'), join(path, 'node_modules'));
  else npm(path, 'ci', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund');
  npm(path, 'run', '--silent', 'pretest');
  return folder;
}

function npm(cwd: string, ...args: string[]): void {
  const { status, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed in the version before: ${stderr}`);
}

function git(...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  return status === 0 && stdout.trim() !== '' ? stdout.trim() : undefined;
}
