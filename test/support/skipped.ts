import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Notes what a suite skips. The end of the run shows it.
 * @param remedy what to do, such as "install redis-server"
 */
export function skipped(name: string, remedy: string): void {
  const file = join(process.env.PETSTORE_TEST_LOGS ?? '', 'skipped');
  appendFileSync(file, `${JSON.stringify({ name, remedy })}\n`);
}
