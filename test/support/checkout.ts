import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder } from './program.js';

const ROOT = join(import.meta.dirname, '../..');

/** A copy of what the service is built from, not built yet, that a test may change. */
export async function checkout(): Promise<Awaited<ReturnType<typeof emptyFolder>>> {
  const folder = await emptyFolder();
  for (const path of [
    'package.json',
    'package-lock.json',
    '.swcrc',
    'scripts',
    'src',
    'migrations',
    'embedded-postgres',
  ])
    await cp(join(ROOT, path), join(folder.path, path), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder.path, 'node_modules'));
  return folder;
}
