import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs what a reader would paste, with no environment variables but `PATH` and `HOME`. */
export async function runSample(
  command: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<Printed> {
  const { PATH, HOME } = process.env;
  const child = spawn(command, args, { env: { PATH, HOME, ...env } });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { stdout, stderr };
}
