import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from './servers.mjs';

/** Starts a Redis for the benchmark. Returns its URL, its pid, and a function that stops it. */
export async function startRedis(folder) {
  const port = await freePort();
  const options = { port, bind: '127.0.0.1', save: '', dir: folder };
  const child = spawn(
    'redis-server',
    Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
  );
  await once(child, 'spawn');
  for await (const chunk of child.stdout) if (String(chunk).includes('Ready to accept')) break;
  const stop = async () => {
    const gone = once(child, 'exit');
    child.kill();
    await gone;
  };
  return { url: `redis://127.0.0.1:${port}`, pid: child.pid, stop };
}
