import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runIn } from './packed-client.js';

/**
 * Installs packages for a test alone, which the project itself does not need, in a folder.
 * @param packages with exact versions, such as `typescript@5.9.3`
 */
export async function installFromRegistry(folder: string, ...packages: readonly string[]): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--silent'];
  await runIn(folder, 'npm', 'install', ...quiet, ...packages);
}
