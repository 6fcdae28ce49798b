import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './servers.mjs';

/** Starts HAProxy, which distributes requests round-robin. */
export async function startProxy(folder, servers) {
  const port = await freePort();
  const lines = servers.map(({ origin }, i) => `  server s${i} ${origin.replace('http://', '')}`);
  const config = `
global
  maxconn 1000
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
listen petstore
  bind 127.0.0.1:${port}
  balance roundrobin
${lines.join('\n')}
`;
  const file = join(folder, `haproxy-${servers.length}.cfg`);
  await writeFile(file, config);
  const child = spawn('haproxy', ['-q', '-db', '-f', file]);
  await once(child, 'spawn');
  const origin = `http://127.0.0.1:${port}`;
  while (!(await fetch(origin).then(Boolean, () => false))) await sleep(50);
  const stop = async () => {
    const gone = once(child, 'exit');
    child.kill();
    await gone;
  };
  return { origin, stop };
}
