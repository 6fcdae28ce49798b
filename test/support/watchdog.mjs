// Waits until its parent process has ended, however that happens, and removes what its test run has left behind.
import { rm } from 'node:fs/promises';
import { endProcessesOf } from './run-processes.mjs';

const [folder] = process.argv.slice(2);
process.stdin.resume().once('end', async () => {
  await endProcessesOf(folder);
  await rm(folder, { recursive: true, force: true });
});
