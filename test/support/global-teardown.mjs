import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { commandOf, endProcessesOf, processesOf } from './run-processes.mjs';
import { searchLog } from './search-log.mjs';
import { printSummary } from './summary.mjs';

export default async function globalTeardown() {
  const { server, folder } = globalThis.petstoreTestServer;
  await server.stop();
  try {
    await expectNoProcesses(folder);
    await searchLog(join(folder, 'logs'));
  } finally {
    await printSummary(join(folder, 'logs'));
    await rm(folder, { recursive: true, force: true });
  }
}

/** Ends processes that suites have left behind. @throws Error that names them */
async function expectNoProcesses(folder) {
  const patience = AbortSignal.timeout(10_000); // for those that are already ending
  while (processesOf(folder).length > 0 && !patience.aborted) await setTimeout(50);
  const left = processesOf(folder).map(commandOf);
  await endProcessesOf(folder);
  if (left.length > 0) throw new Error(`Suites have left processes behind:\n${left.join('\n')}`);
}
