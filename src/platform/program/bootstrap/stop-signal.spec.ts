import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Program } from '../../../../test/support/program.js';

const START = `
  import { onStopSignal } from './dist/src/platform/program/bootstrap/stop-signal.js';
  setInterval(() => undefined, 1_000);
  onStopSignal(async () => {
    const database = new Promise((resolve) => setTimeout(resolve, 100));
    void Promise.reject(new Error('A job found the pool closed'));
    await database;
    console.log('everything is closed');
  });
  console.log('started');
`;

const FAILING_STOP = `
  import { onStopSignal } from './dist/src/platform/program/bootstrap/stop-signal.js';
  setInterval(() => undefined, 1_000);
  onStopSignal(async () => {
    throw new TypeError('Not a function');
  });
  console.log('started');
`;

const TALKATIVE = `
  import './dist/src/service.js';
  import { run } from './dist/src/platform/program/bootstrap/run.js';
  import { serve } from './dist/src/platform/program/bootstrap/serve.js';
  run(() =>
    serve(async (onEnd) => {
      onEnd(async () => console.error('everything is closed'));
      setInterval(() => console.log('a line'), 10);
    }),
  );
`;

it('a service that prints to a program that has ended, such as head, stops with one line, as one that has failed', async () => {
  const pipe = `'${process.execPath}' --input-type=module -e "$0" | true; echo "code \${PIPESTATUS[0]}"`;
  const ended = await promisify(execFile)('bash', ['-c', pipe, TALKATIVE], { cwd: process.cwd() });
  expect(ended).toEqual({
    stdout: 'code 1\n',
    stderr: 'petstore: nothing reads stdout, so it stops.\neverything is closed\n',
  });
});

describe('a stop signal', () => {
  it('closes everything even if a background job fails meanwhile', async () => {
    const program = new Program('--input-type=module', ['-e', START], { cwd: process.cwd() });
    await program.prints(/started/);
    program.signal('SIGTERM');
    const { code, stdout, stderr } = await program.ended;
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: 'started\neverything is closed\n',
      stderr: expect.stringContaining('A job found the pool closed'),
    });
  });

  it('prints the stack of an error that a module throws while it stops', async () => {
    const program = new Program('--input-type=module', ['-e', FAILING_STOP], { cwd: process.cwd() });
    await program.prints(/started/);
    program.signal('SIGTERM');
    expect(await program.ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^TypeError: Not a function\n +at /),
    });
  });
});
