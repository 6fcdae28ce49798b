import { createInterface } from 'node:readline/promises';
import { StartupError } from '../config/startup-error.js';

/** Whether somebody can answer a question. */
export const isOnTerminal = (): boolean => process.stdin.isTTY && process.stderr.isTTY;

/** Asks on the terminal. @throws StartupError unless the answer is yes */
export async function confirm(question: string): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr }); // stdout is only for the result
  const answer = await terminal.question(`${question} [y/N] `).catch(() => {
    process.stderr.write('\n'); // Ctrl-C and Ctrl-D end no line
    return 'no';
  });
  terminal.close();
  if (/^y(es)?$/i.test(answer.trim())) return;
  throw new StartupError('stopped, nothing was changed.');
}
