import { jest } from '@jest/globals';
import { PassThrough } from 'node:stream';
import type { ServiceDefinition } from '../../src/platform/program/bootstrap/service-definition.js';
import { SERVICE } from '../../src/service.js';
import { minutes, withTimeout } from '../../src/platform/kernel/clock/duration.js';
import { commandLine } from '../../src/platform/program/cli/command-line.js';
import { errorText, exitCodeOf } from '../../src/platform/program/bootstrap/run.js';
import { start } from '../../src/platform/program/bootstrap/start.js';
import { StartLines } from '../../src/platform/program/bootstrap/start-lines.js';
import type { Ended } from './program.js';
import { rememberKey } from './run-log.js';
import { SECRET } from './prefix.js';

/** Thrown instead of ending the tests' process. */
class Exit extends Error {
  constructor(readonly code: number) {
    super(`exit ${code}`);
  }
}

interface Surroundings {
  readonly args?: readonly string[];
  readonly env: Record<string, string>;
  /** What a person on a terminal types when asked. Without it, there is no terminal. */
  readonly typed?: string;
}

/** Ends a command that hangs. It is long because a busy machine is not a failure. */
const PATIENCE = minutes(2);
/** A connection came late, which on a busy machine says nothing about the command. It has done nothing then. */
const CONNECTED_LATE =
  /timeout expired|timeout exceeded when trying to connect|due to connection timeout|no response in time|ETIMEDOUT/;

let last: Promise<unknown> = Promise.resolve();

/** Runs `petstore` in this process, which loads it once for all runs of a suite. */
export const petstore = (args: readonly string[], env: Record<string, string>): Promise<Ended> =>
  oneAtATime({ args, env }, () => parse());

/** Runs `petstore` for a person on a terminal, who answers its question. The terminal shows `stderr` and `stdout`. */
export const petstoreOnTerminal = (
  typed: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<Ended> => oneAtATime({ args, env, typed }, () => parse());

const parse = async (): Promise<unknown> => (await commandLine(SERVICE)).parseAsync();

/** Starts the service in this process with settings that it refuses. */
export const refusedStart = (env: Record<string, string>): Promise<Ended> =>
  oneAtATime({ env: { PORT: '0', ...env } }, () =>
    withoutLines(
      () => undefined,
      () => startHere(SERVICE),
    ),
  );

/** Starts the service in this process up to the end of its checks. @returns what they warn of */
export async function startWarnings(env: Record<string, string>): Promise<readonly string[]> {
  let warnings: string[] = [];
  const ended = await oneAtATime({ env: { PORT: '0', ...env } }, async () => {
    warnings = []; // this may be another try
    // It comes after the checks, and takes most of a start.
    const { features } = await SERVICE.load();
    const forRoot = () => {
      throw new Exit(0);
    };
    const load = () => Promise.resolve(Object.assign(class {}, { features, forRoot }));
    await withoutLines(
      (sentence) => warnings.push(sentence),
      () => startHere({ ...SERVICE, load }),
    );
  });
  if (ended.code !== 0) throw new Error(`The start was refused: ${ended.stderr}`);
  return warnings;
}

/** Keeps the lines of a start out of the report of the tests: they go to the file, not through `process.stdout`. */
async function withoutLines(warn: (sentence: string) => void, starts: () => Promise<void>): Promise<void> {
  const spies = [
    jest.spyOn(StartLines, 'warn').mockImplementation(warn),
    jest.spyOn(StartLines, 'print').mockImplementation(() => undefined),
  ];
  try {
    await starts();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

async function startHere(application: ServiceDefinition): Promise<void> {
  const opened: (() => Promise<void>)[] = [];
  await start(application, (close) => opened.push(close)).finally(() =>
    Promise.all(opened.map((close) => close())),
  );
}

/** Arguments, environment and output belong to the process. */
function oneAtATime(surroundings: Surroundings, program: () => Promise<unknown>): Promise<Ended> {
  const ended = last.then(() => runHere(surroundings, program));
  last = ended.catch(() => undefined);
  return ended;
}

/** @throws Error with the output if the program does not end */
async function runHere(surroundings: Surroundings, program: () => Promise<unknown>): Promise<Ended> {
  const late = performance.now() + PATIENCE;
  for (;;) {
    const ended = await runOnce(surroundings, program);
    const connectedLate = ended.code !== 0 && CONNECTED_LATE.test(ended.stdout + ended.stderr);
    if (!connectedLate || performance.now() > late) return ended;
  }
}

async function runOnce(
  { args = [], env, typed }: Surroundings,
  program: () => Promise<unknown>,
): Promise<Ended> {
  const before = { argv: process.argv, env: process.env };
  const terminal = typed === undefined ? undefined : beTerminal();
  const stdout = keepOutput(process.stdout);
  const stderr = keepOutput(process.stderr, (text) => {
    if (text.includes('[y/N]')) terminal?.type(typed ?? '');
  });
  const exit = jest.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Exit(Number(code ?? 0));
  });
  Object.assign(process, { argv: ['node', 'petstore', ...args], env });
  try {
    const ending = program().then(
      () => 0,
      (error: unknown) => {
        if (error instanceof Exit) return error.code;
        process.stderr.write(`${errorText(error)}\n`);
        return exitCodeOf(error);
      },
    );
    const code = await withTimeout(ending, PATIENCE, () => {
      const what = ['petstore', ...args].join(' ');
      throw new Error(`Not ended in ${PATIENCE / 1000} s: ${what}; so far: ${stdout.text}${stderr.text}`);
    });
    return { code, stdout: stdout.text, stderr: stderr.text };
  } finally {
    Object.assign(process, before);
    terminal?.end();
    exit.mockRestore();
    stdout.end();
    stderr.end();
    for (const [key] of stdout.text.matchAll(new RegExp(SECRET, 'g'))) rememberKey(key);
  }
}

/** Captures what is written to a stream. */
function keepOutput(stream: NodeJS.WriteStream, notice: (text: string) => void = () => undefined) {
  let text = '';
  const spy = jest.spyOn(stream, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    notice(String(chunk));
    return true;
  });
  return {
    get text() {
      return text;
    },
    end: () => {
      spy.mockRestore();
    },
  };
}

/** Lets the process believe that stdin and stderr are a terminal. */
function beTerminal() {
  const keys = Object.assign(new PassThrough(), { isTTY: true });
  const stdin = replaced(process, 'stdin', keys);
  const isTTY = replaced(process.stderr, 'isTTY', true);
  return {
    type: (text: string) => keys.write(text),
    end: () => {
      stdin();
      isTTY();
    },
  };
}

/** @returns what undoes it */
function replaced(owner: object, name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(owner, name);
  Object.defineProperty(owner, name, { value, configurable: true });
  return () => {
    if (before) Object.defineProperty(owner, name, before);
    else Reflect.deleteProperty(owner, name);
  };
}
