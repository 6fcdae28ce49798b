import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A Redis that can be frozen, killed and restarted. It keeps nothing on disk, so killing it loses all counts. */
export async function startRedis(folder, port) {
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder];
  let child;
  const launch = async () => {
    child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await Promise.race([ready(child), once(child, 'error').then(([error]) => Promise.reject(error))]);
  };
  const kill = async () => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  await launch();
  return {
    url: `redis://127.0.0.1:${port}`,
    pid: () => child.pid,
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
    kill,
    launch,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) await kill();
    },
  };
}

const ready = ({ stdout }) =>
  new Promise((resolve) => {
    stdout.on('data', (chunk) => String(chunk).includes('Ready to accept') && resolve());
  });
