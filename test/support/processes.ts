import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Command lines that contain a path. The service's PostgreSQL is started with its data folder. */
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

/** The child processes of a process. */
export function childrenOf(parent: number): number[] {
  const all = existsSync('/proc/self') ? parentsFromProc() : parentsFromPs();
  return all.filter(([, ppid]) => ppid === parent).map(([pid]) => pid);
}

/** Sends a signal. @returns false if the process has ended */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    return false;
  }
}

export const isAlive = (pid: number): boolean => signal(pid, 0);

type PidAndParent = readonly [pid: number, parent: number];

function parentsFromProc(): PidAndParent[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        return [Number(pid), Number(/^PPid:\s+(\d+)/m.exec(status)?.[1])] as const;
      } catch {
        return [Number(pid), NaN] as const; // it has ended meanwhile
      }
    });
}

function parentsFromPs(): PidAndParent[] {
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .map(([pid = NaN, parent = NaN]) => [pid, parent] as const);
}
