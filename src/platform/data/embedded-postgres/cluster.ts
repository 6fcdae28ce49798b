import { chmod, chown, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { superuser } from './connection.js';
import { type DataFolder, ensurePassword } from './data-folder.js';
import { errorCodeOf } from '../../kernel/errors/error-code.js';
import { runProgram, type ServerPrograms } from './server-programs.js';

/** Creates the cluster unless it exists. */
export async function ensureCluster(folder: DataFolder, programs: ServerPrograms): Promise<void> {
  if (await isFilled(folder.cluster)) {
    await closeToOthers(folder, programs);
    return;
  }

  // Created elsewhere and moved when complete, so that an interrupted initdb never looks like a cluster.
  const draft = await mkdtemp(join(folder.home, 'postgres.new-'));
  try {
    await initialise(draft, await ensurePassword(folder.credentials), programs);
    await moveUnlessTaken(join(draft, 'cluster'), folder.cluster);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function initialise(draft: string, password: string, programs: ServerPrograms): Promise<void> {
  const cluster = join(draft, 'cluster');
  const passwordFile = join(draft, 'password');
  await mkdir(cluster, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (programs.user !== undefined) {
    const { uid, gid } = programs.user;
    for (const path of [draft, cluster, passwordFile]) await chown(path, uid, gid);
  }
  await programs.run('initdb', [
    `--pgdata=${cluster}`,
    `--username=${superuser()}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // Gives the same sort order and case mapping on every operating system.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ]);
}

/**
 * PostgreSQL refuses a cluster that root has copied, which belongs to root, and one that a copy has opened to
 * others.
 */
async function closeToOthers({ cluster }: DataFolder, { user }: ServerPrograms): Promise<void> {
  const { uid, mode } = await stat(cluster);
  if (user !== undefined && uid !== user.uid)
    await runProgram('chown', ['-R', `${user.uid}:${user.gid}`, cluster], {});
  if ((mode & 0o027) !== 0) await chmod(cluster, 0o700);
}

async function moveUnlessTaken(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    const takenByQuickerProcess = await isFilled(to);
    if (!takenByQuickerProcess) throw error;
  }
}

async function isFilled(directory: string): Promise<boolean> {
  try {
    return (await readdir(directory)).length > 0;
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return false;
    throw error;
  }
}
