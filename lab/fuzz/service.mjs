import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const built = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const MANY = '1000000000';

/** Starts the built service with its own database, data folder and a key with an inexhaustible quota. */
export async function startService() {
  const folder = mkdtempSync(join(tmpdir(), 'petstore fuzz-'));
  const { PATH, HOME } = process.env;
  const env = {
    PATH,
    HOME,
    PORT: '0',
    PETSTORE_DATA_DIR: folder,
    ANONYMOUS_PER_MINUTE: '1000000',
    LOG_LEVEL: 'error',
  };
  const service = spawn(process.execPath, [built('dist/src/main.js')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => service.once('close', resolve));
  const stop = async () => {
    service.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const port = await Promise.race([listens(service), ended.then(() => undefined)]);
  if (port === undefined) throw new Error('The service did not start');
  const hasEnded = () => service.exitCode !== null || service.signalCode !== null;
  return { port, key: makeKey(env), stop, hasEnded };
}

function listens({ stdout }) {
  let printed = '';
  return new Promise((resolve) => {
    stdout.on('data', (chunk) => {
      printed += chunk;
      const [, port] = /http:\/\/[^/]+:(\d+)\/docs[^]*Ctrl-C/.exec(printed) ?? [];
      if (port) resolve(Number(port));
    });
  });
}

function makeKey(env) {
  const limits = ['--per-minute', MANY, '--per-day', MANY];
  const args = ['keys', 'create', '--plan', 'enterprise', '--name', 'fuzz', ...limits, '--json'];
  return JSON.parse(execFileSync(process.execPath, [built('bin/petstore.js'), ...args], { env })).key;
}
