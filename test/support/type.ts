import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { causeIn } from './cause.js';

/**
 * Runs a program as a person does who has no variables of this run.
 * @returns what it prints
 * @throws Error with that if it fails
 */
export async function type(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { PATH = '', HOME = '', NODE_EXTRA_CA_CERTS } = process.env;
  const authority = NODE_EXTRA_CA_CERTS !== undefined && { NODE_EXTRA_CA_CERTS }; // that of a registry may be the company's own
  const child = spawn(command, args, {
    cwd,
    env: { PATH, HOME, ...authority },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const output of [child.stdout, child.stderr])
    output.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0)
    throw new Error(`${command} ${args.join(' ')}\nfailed:\n${causeIn(printed)}\n${printed.slice(-4_000)}`);
  return printed;
}
