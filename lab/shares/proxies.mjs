// The proxies that the service is shipped and documented with, on this machine and in front of one process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../bench/servers.mjs';

const read = (path) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

/** deploy/haproxy/haproxy.cfg, with room for all connections of a burst. */
async function haproxy({ folder, port, servicePort }) {
  const config = (await read('deploy/haproxy/haproxy.cfg'))
    .replace('bind :3000', `bind 127.0.0.1:${port}`)
    .replace(/^ +bind :3443.*$/m, '')
    .replace('bind :8404', `bind 127.0.0.1:${await freePort()}`)
    .replace('log stdout format raw local0 info', '')
    .replaceAll(/default-server resolvers docker init-addr none ?/g, 'default-server ')
    .replaceAll(/server-template petstore .*/g, `server petstore0 127.0.0.1:${servicePort}`);
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, config);
  return spawn('haproxy', ['-db', '-f', file], {
    stdio: 'ignore',
    env: { ...process.env, PETSTORE_CONNECTIONS: '5000' },
  });
}

/** The nginx of docs/systemd.md, without TLS. */
async function nginx({ folder, port, servicePort }) {
  const [, sample] = /```nginx\n([\s\S]*?)```/.exec(await read('docs/systemd.md'));
  const config = sample
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${servicePort}`)
    .replace(/listen 443 ssl;/, `listen 127.0.0.1:${port};`)
    .replaceAll(/^ *ssl_.*$/gm, '')
    .replaceAll(/^ *limit_conn(_status|_dry_run)? .*$/gm, '');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, `nginx-${name}`)};`,
  );
  const file = join(folder, 'nginx.conf');
  await writeFile(
    file,
    `daemon off; master_process off; pid ${join(folder, 'nginx.pid')};
     events { worker_connections 8000; }
     http { access_log off; ${paths.join(' ')} ${config} }`,
  );
  return spawn('nginx', ['-c', file, '-e', join(folder, 'nginx-error.log')], { stdio: 'ignore' });
}

export const PROXIES = { haproxy, nginx };

/** Starts a proxy and waits until it forwards. */
export async function startProxy(name, folder, servicePort) {
  const port = await freePort();
  const proxy = await PROXIES[name]({ folder, port, servicePort });
  await once(proxy, 'spawn');
  const stop = async () => {
    if (proxy.exitCode !== null || proxy.signalCode !== null) return;
    proxy.kill('SIGKILL');
    await once(proxy, 'exit');
  };
  while (!(await forwards(port))) {
    if (proxy.exitCode !== null) throw new Error(`${name} ended with ${proxy.exitCode}.`);
    await sleep(50);
  }
  return { port, stop };
}

/** Whether the service answers: the proxy's own answer is 503. */
async function forwards(port) {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    socket.destroy();
    return (await fetch(`http://127.0.0.1:${port}/openapi.json`)).status === 200;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
