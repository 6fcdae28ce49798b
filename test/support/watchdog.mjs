// Waits until the process that started it has ended, in whatever way, and ends what its test run has left.
import { rm } from 'node:fs/promises';
import { endProcessesOf } from './run-processes.mjs';

const [folder] = process.argv.slice(2);
process.stdin.resume().once('end', async () => {
  await endProcessesOf(folder);
  await rm(folder, { recursive: true, force: true });
});
