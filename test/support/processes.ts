import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** The command lines that hold a path: the service's PostgreSQL has its data folder in its own. */
export function processesOf(path: string): string[] {
  const all = existsSync('/proc/self') ? fromProc() : fromPs(); // slim images have no ps, macOS has no /proc
  return all.filter((command) => command.includes(path));
}

function fromProc(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return ''; // it has ended meanwhile
      }
    });
}

function fromPs(): string[] {
  return execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' }).split('\n');
}

/** Looks again and again, for as long as the test may take. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(20);
}
