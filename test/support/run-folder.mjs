import { chmod, mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY_DISK = '/dev/shm';
const ENOUGH = 1024 ** 3; // bytes; containers have 64 MB by default

/**
 * The folder of one test run. It contains everything that suites create by `mkdtemp`, and is removed after the run. It
 * is in memory if the machine has such a file system: creating a test database then takes 10 ms instead of 340.
 */
export async function makeRunFolder() {
  const folder = await mkdtemp(join((await hasMemoryDisk()) ? MEMORY_DISK : tmpdir(), 'petstore-test-'));
  await chmod(folder, 0o711); // if root runs the tests, PostgreSQL's user must get to the data folders
  process.env.TMPDIR = folder;
  return folder;
}

async function hasMemoryDisk() {
  const { bavail, bsize } = await statfs(MEMORY_DISK).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize >= ENOUGH;
}
