import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { becomes } from '../../../../test/support/eventually.js';

/** A service that prints so many lines of 1 KiB, then runs the given code. */
const serviceThatPrints = (lines: number, then: string): string => `
  import './dist/src/service.js';
  import { run } from './dist/src/platform/program/bootstrap/run.js';
  import { serve } from './dist/src/platform/program/bootstrap/serve.js';
  import { bufferedOutput, droppedLines } from './dist/src/platform/observe/logging/buffered-output.js';
  run(() =>
    serve(async () => {
      for (let i = 0; i < ${lines}; i++) bufferedOutput().write('x'.repeat(1_023) + '\\n');
      ${then}
    }),
  );
`;

const STOP = `
  process.stderr.write('dropped ' + droppedLines() + '\\n');
  setTimeout(() => process.kill(process.pid, 'SIGTERM'));
`;
const FAIL = `setImmediate(() => { throw new TypeError('a bug'); });`;

const COMMAND = `
  import './dist/src/service.js';
  import { run } from './dist/src/platform/program/bootstrap/run.js';
  run(async () => void process.stdout.write('keys\\n'));
`;

/** Runs a program with its standard output where the shell sends it. */
function sentTo(redirection: string, program: string) {
  const command = `set -o pipefail; '${process.execPath}' --input-type=module -e "$0" ${redirection}`;
  return promisify(execFile)('bash', ['-c', command, program], { cwd: process.cwd() });
}

describe('the output of a service', () => {
  it.each(['> /dev/full', '>> /dev/full'])('on a full disk (%s) keeps at most 1 MiB', async (redirection) => {
    const { stderr } = await sentTo(redirection, serviceThatPrints(2_000, STOP));
    expect(stderr).toBe('dropped 976\n');
  });

  it('to a reader that reads nothing does not keep the process', async () => {
    const program = ['--input-type=module', '-e', serviceThatPrints(2_000, STOP)];
    const child = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'pipe'] });
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    child.stdout.destroy();
    expect({ stderr, code }).toEqual({ stderr: 'dropped 976\n', code: 0 });
  });

  it('is complete when a signal ends the process', async () => {
    const { stdout, stderr } = await sentTo('| wc -c', serviceThatPrints(900, STOP));
    expect({ stdout, stderr }).toEqual({ stdout: `${900 * 1_024}\n`, stderr: 'dropped 0\n' });
  });

  it('is complete when an error that nothing catches ends the process', async () => {
    await expect(sentTo('| wc -c', serviceThatPrints(900, FAIL))).rejects.toMatchObject({
      code: 1,
      stdout: `${900 * 1_024}\n`,
      stderr: expect.stringMatching(/^TypeError: a bug\n +at /),
    });
  });
});

it('an idle service has no timer for its output, and one that writes has one', async () => {
  const { stderr } = await sentTo(
    '> /dev/null',
    `
    import { bufferedOutput } from './dist/src/platform/observe/logging/buffered-output.js';
    const timers = [];
    const add = (run) => (timers.push(run), { unref() { return this; } });
    Object.assign(globalThis, { setTimeout: add, setInterval: add });
    const output = bufferedOutput();
    const counts = [timers.length];
    for (let i = 0; i < 3; i++) output.write('a line\\n');
    counts.push(timers.length);
    const written = new Promise((resolve) => output.once('write', resolve));
    timers[0]();
    counts.push(await written, timers.length);
    output.write('a line\\n');
    counts.push(timers.length);
    process.stderr.write(counts.join());
    `,
  );
  expect(stderr).toBe(`0,1,${3 * 'a line\n'.length},1,2`);
});

it('a reader that was frozen gets everything that waits, without a further line', async () => {
  const program = `
    import { bufferedOutput } from './dist/src/platform/observe/logging/buffered-output.js';
    const output = bufferedOutput();
    for (let i = 0; i < 900; i++) output.write('x'.repeat(1_023) + '\\n'); // 56 writes, of which the last is 8 KiB
    const flush = output.flush;
    output.flush = () => {
      flush.call(output);
      process.stderr.write('flushed');
    };
    process.stdin.resume();
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
  await once(child.stderr, 'data');
  let bytes = 0;
  child.stdout.on('data', (chunk: Buffer) => (bytes += chunk.length));
  await becomes(() => bytes, 900 * 1_024);
  child.stdin.end();
  await once(child, 'exit');
});

it('lines that cannot be written are tried again together, not each of them', async () => {
  const { stderr } = await sentTo(
    '> /dev/full',
    `
    import { setImmediate } from 'node:timers/promises';
    import { bufferedOutput } from './dist/src/platform/observe/logging/buffered-output.js';
    process.stdout.on('error', () => undefined);
    const output = bufferedOutput();
    const timers = [];
    globalThis.setTimeout = (run) => (timers.push(run), { unref() { return this; } });
    const fails = () => new Promise((resolve) => output.once('error', resolve));
    const print = async (lines) => {
      for (let i = 0; i < lines; i++) {
        output.write('x'.repeat(1_023) + '\\n');
        await setImmediate();
      }
    };
    const first = fails();
    await print(20);
    await first;
    let failed = 0;
    output.on('error', () => (failed += 1));
    await print(200);
    const counts = [failed];
    const second = fails();
    timers[0]();
    await second;
    await print(200);
    process.stderr.write([...counts, failed].join());
    `,
  );
  expect(stderr).toBe('0,1');
});

describe('the output of a command', () => {
  it('on a full disk is an error, in one line', async () => {
    await expect(sentTo('> /dev/full', COMMAND)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^petstore: The output cannot be written: ENOSPC.*\n$/),
    });
  });
});
