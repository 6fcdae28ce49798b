import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { childrenOf, until } from '../support/processes.js';
import { Program } from '../support/program.js';

interface RunProcesses {
  readonly processesOf: (folder: string) => number[];
  readonly commandOf: (pid: number) => string;
}

const ROOT = join(import.meta.dirname, '../..');
const { processesOf, commandOf } = (await import(
  new URL('../support/run-processes.mjs', import.meta.url).href
)) as RunProcesses;

const LINUX = process.platform === 'linux';
if (!LINUX)
  process.stdout.write('Skipped, because there is no /proc: what a killed test run leaves behind\n');

(LINUX ? it : it.skip)('a test run that is killed leaves no process and no file behind', async () => {
  const args = ['--maxWorkers=2', 'promises/health', 'promises/idempotency.e2e'];
  const run = new Program(join(ROOT, 'node_modules/jest/bin/jest.js'), args, { cwd: ROOT });
  let folder = '';
  await until(() => {
    const commands = childrenOf(run.pid).map(commandOf);
    folder = /watchdog\.mjs (\S+)$/m.exec(commands.join('\n'))?.[1] ?? '';
    return folder !== '';
  });
  const working = (name: RegExp) => processesOf(folder).filter((pid) => name.test(commandOf(pid)));
  await until(() => working(/jest-worker/).length === 2 && working(/postgres/).length > 2);
  process.kill(run.pid, 'SIGKILL');
  await until(() => processesOf(folder).length === 0 && !existsSync(folder));
});
