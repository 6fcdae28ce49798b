import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Runs one benchmark or soak with its own folder. Each `undo(step)` registers a clean-up step; all run at the end, in reverse
 * order, even after an error or Ctrl-C. The benchmark's return value is the exit code, by default 0.
 */
export async function session(bench) {
  const interrupted = new AbortController();
  const { signal } = interrupted;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => interrupted.abort());
  const steps = [];
  const undo = (step) => steps.push(step);
  try {
    const folder = await mkdtemp(join(tmpdir(), 'petstore-bench-'));
    undo(() => rm(folder, { recursive: true, force: true }));
    await chmod(folder, 0o711); // PostgreSQL may have to run as a user other than root
    process.exitCode = (await bench({ folder, signal, undo })) ?? 0;
  } catch (error) {
    console.error(signal.aborted ? 'Interrupted.' : error.message);
    process.exitCode = signal.aborted ? 130 : 1;
  } finally {
    for (const step of steps.reverse()) {
      await Promise.resolve(step()).catch((error) => console.error(`While cleaning up: ${error.message}`));
    }
  }
}
