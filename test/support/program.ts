import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { seconds, withTimeout } from '../../src/platform/kernel/clock/duration.js';
import { keepLog, rememberKey } from './run-log.js';
import { SECRET } from './prefix.js';

const built = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
export const SERVICE = built('dist/src/main.js');
export const COMMAND_LINE = built('bin/petstore.js');

/** Ends a hanging test. It is long, because a busy machine is slow. */
const PATIENCE = seconds(120);
/** Time for the end of a program, which may run other programs: shorter than Jest's own limit, whose message has no output. */
const END_PATIENCE = seconds(200);

interface ProgramOptions {
  readonly cwd: string;
  /** Added to `PATH`, `HOME` and the compile cache, which are all that it inherits. */
  readonly env?: Record<string, string>;
  /** The words before the command. */
  readonly launcher?: readonly string[];
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A built program in its own process group, like the foreground job of a terminal. */
export class Program {
  stdout = '';
  stderr = '';
  private readonly exited: Promise<Ended>;
  private readonly child: ChildProcess;

  constructor(script: string, args: readonly string[], { cwd, env = {}, launcher = [] }: ProgramOptions) {
    const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
    const [command = '', ...words] = [...launcher, process.execPath, script, ...args];
    this.child = spawn(command, words, {
      cwd,
      env: { PATH, HOME, NODE_COMPILE_CACHE, SHUTDOWN_GRACE_SECONDS: '0', ...env }, // there is no load balancer
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    this.child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    if (script === SERVICE && this.child.stdout)
      createInterface({ input: this.child.stdout }).on('line', (line) => {
        if (line.startsWith('{')) keepLog(`${line}\n`); // not the welcome text, which contains the demo keys
      });
    this.exited = once(this.child, 'close').then(([code]) => {
      const { stdout, stderr } = this;
      if (script === SERVICE) keepLog(stderr);
      for (const [key] of stdout.matchAll(new RegExp(SECRET, 'g'))) rememberKey(key);
      return { code: code as number | null, stdout, stderr };
    });
  }

  /** @throws Error with the output so far if the program does not end in time from now on */
  get ended(): Promise<Ended> {
    return withTimeout(this.exited, END_PATIENCE, () => {
      throw this.late('ended', END_PATIENCE);
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Sends a signal to the whole group, like Ctrl-C in a terminal. Does nothing if the group has ended. */
  signal(name: NodeJS.Signals): void {
    try {
      process.kill(-this.pid, name);
    } catch {
      // it has ended
    }
  }

  /** Closes the pipe of its stdout, as a reader does that ends. */
  stopReading(): void {
    this.child.stdout?.destroy();
  }

  /** Resolves when the output so far matches. */
  prints(pattern: RegExp): Promise<void> {
    return this.says('stdout', pattern);
  }

  /** Resolves when stderr so far matches. */
  complains(pattern: RegExp): Promise<void> {
    return this.says('stderr', pattern);
  }

  private async says(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<void> {
    const late = AbortSignal.timeout(PATIENCE);
    while (!pattern.test(this[stream])) {
      const said = once(this.child[stream] ?? this.child, 'data', { signal: late }).catch(
        (error: unknown) => {
          throw late.aborted ? this.late('printed', PATIENCE, `: ${String(pattern)}`) : error;
        },
      );
      const gone = this.exited.then(() => 'gone');
      if ((await Promise.race([said, gone])) === 'gone' && !pattern.test(this[stream])) {
        throw new Error(`It ended without printing ${String(pattern)}: ${this.stderr}`);
      }
    }
  }

  private late(what: string, patience: number, detail = ''): Error {
    return new Error(`Not ${what} in ${patience / 1000} s${detail}; so far: ${this.stdout}${this.stderr}`);
  }
}

/** Runs a command until it ends. */
export function run(script: string, args: readonly string[], options: ProgramOptions): Promise<Ended> {
  return new Program(script, args, options).ended;
}

/** Runs a command line with `PATH` and `HOME` only, without a proxy that the environment may name. */
export function inShell(command: string): Promise<{ readonly stdout: string }> {
  const { PATH, HOME } = process.env;
  return promisify(execFile)('sh', ['-c', command], { env: { PATH, HOME } });
}

/**
 * Expects a program to say in one line that it needs more open files than `limit`.
 * @param program a path, or words between the quotes of a shell
 */
export async function expectTooFewFiles(limit: number, program: string): Promise<void> {
  const { stdout } = await inShell(
    `ulimit -n ${limit}; DATABASE_URL=postgres://127.0.0.1:1/none '${process.execPath}' '${program}' 2>&1; true`,
  );
  // Node.js from 22 on needs fewer, and gets as far as the database.
  expect(stdout).toMatch(
    /^petstore: (The process may open (no more files: EMFILE|only \d+ files, ).+LimitNOFILE.+|DATABASE_URL.+)\n$/,
  );
}

/**
 * Starts the built service with its output where the shell sends it.
 * @param redirection such as `>> /dev/full 2>&1`
 * @param launcher such as `nohup`
 */
export function serviceInShell(
  redirection: string,
  { cwd, env = {} }: ProgramOptions,
  launcher = '',
): ChildProcess {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
  return spawn('bash', ['-c', `exec ${launcher} '${process.execPath}' '${SERVICE}' ${redirection}`], {
    cwd,
    env: { PATH, HOME, NODE_COMPILE_CACHE, SHUTDOWN_GRACE_SECONDS: '0', ...env },
    stdio: 'ignore',
  });
}

/** A program on its own terminal, with key presses as stdin. For features that need an interactive terminal. */
export function onTerminal(script: string, args: readonly string[], { cwd, env = {} }: ProgramOptions) {
  const command = [process.execPath, script, ...args].map((word) => `'${word}'`).join(' ');
  const { PATH = '', HOME = '' } = process.env;
  return spawn('script', ['-qec', command, '/dev/null'], { cwd, env: { PATH, HOME, ...env } });
}

/** Types a reply to the question of a program on its own terminal. @returns what the terminal shows, and the exit code */
export async function reply(text: string, ...program: Parameters<typeof onTerminal>) {
  const terminal = onTerminal(...program);
  let shown = '';
  terminal.stdout.on('data', (chunk: Buffer) => {
    const wasAsked = shown.includes('[y/N]');
    shown += chunk.toString();
    if (!wasAsked && shown.includes('[y/N]')) terminal.stdin.write(text);
  });
  const [code] = (await once(terminal, 'close')) as [number];
  return { shown, code };
}

/** The data folder of an embedded PostgreSQL with all tables, to be copied. */
export const MIGRATED_DATA = process.env.PETSTORE_TEST_DATA ?? '';

/** An empty folder whose path contains a space and a non-ASCII letter. */
export async function emptyFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'pet störe-'));
  await chmod(path, 0o711); // if root runs the tests, PostgreSQL's user must get to the data folder
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
