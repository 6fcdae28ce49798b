import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describeWhereFound } from '../support/describe-with.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { emptyFolder } from '../support/program.js';
import { readText } from '../support/repository.js';

describeWhereFound('haproxy', 'deploy/haproxy/haproxy.cfg', () => {
  let folder: Awaited<ReturnType<typeof emptyFolder>>;
  let replica: Server;
  let received: IncomingHttpHeaders;
  let haproxy: ChildProcess;

  beforeAll(async () => {
    folder = await emptyFolder();
    replica = createServer((request, response) => {
      if (request.url !== '/health/ready') received = request.headers;
      response.end('{}');
    });
    await once(replica.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => haproxy.kill('SIGKILL'));
  afterAll(async () => {
    replica.close();
    await folder.remove();
  });

  /** @returns the headers that a replica gets */
  async function headersBehind(trusted: string | undefined, sent: Record<string, string>) {
    const port = await freePort();
    const file = join(folder.path, 'haproxy.cfg');
    const { port: replicaPort } = replica.address() as AddressInfo;
    const here = readText('deploy/haproxy/haproxy.cfg')
      .replace('bind :3000', `bind 127.0.0.1:${port}`)
      .replace(/^ +bind :3443.*$/m, '')
      .replace('log stdout format raw local0 info', '')
      .replace('resolvers docker init-addr none', '')
      .replace(/server-template petstore .*/, `server petstore 127.0.0.1:${replicaPort}`);
    await writeFile(file, here);
    haproxy = spawn(
      'env',
      [...(trusted === undefined ? [] : [`PETSTORE_TRUSTED_PROXY=${trusted}`]), 'haproxy', '-db', '-f', file],
      { stdio: 'ignore' },
    );
    const url = `http://127.0.0.1:${port}`;
    await eventually(() => accepts(port));
    await eventually(async () => (await fetch(url, { headers: sent })).ok);
    return received;
  }

  const CLIENT = { 'X-Forwarded-For': '198.51.100.7, 203.0.113.9', 'X-Forwarded-Proto': 'https' };

  it('replaces what a client says about its address', async () => {
    expect(await headersBehind(undefined, CLIENT)).toMatchObject({
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
    });
  });

  it('keeps what a trusted proxy says about the client', async () => {
    expect(await headersBehind('10.0.0.0/8 127.0.0.0/8', CLIENT)).toMatchObject({
      'x-forwarded-for': '198.51.100.7, 203.0.113.9',
      'x-forwarded-proto': 'https',
    });
  });

  it('uses the address of a trusted proxy that names no client', async () => {
    expect(await headersBehind('127.0.0.1', {})).toMatchObject({
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
    });
  });
});

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isOpen;
}
