import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { transformFile } from '@swc/core';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { installPackedClient } from '../support/packed-client.js';
import { Petstore } from '../support/petstore.js';
import { emptyFolder } from '../support/program.js';
import { itWithPython, runPython } from '../support/python.js';

const ROOT = join(import.meta.dirname, '../..');

let petstore: Petstore;

beforeAll(async () => {
  petstore = await Petstore.start({ env: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' } });
  petstore.clock.set(Date.now()); // the receivers refuse messages older than 5 minutes
});
afterAll(() => petstore.stop());

/** Disconnects within the body of a message. */
async function sendHalf(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await new Promise((sent) => socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{', sent));
  await once(socket.destroy(), 'close');
}

/** Has a pet's event delivered to a receiver that starts with the secret of its webhook; returns what that prints. */
async function deliverTo(start: (env: Record<string, string>) => ReturnType<typeof spawn>): Promise<string> {
  const port = String(await freePort());
  const client = petstore.client(await petstore.key());
  const url = `http://127.0.0.1:${port}/`;
  const { body } = await client.post('/v1/webhooks').send({ url }).expect(201);
  const webhook = body as { readonly id: number; readonly secret: string };
  const receiver = start({ WEBHOOK_SECRET: webhook.secret, PORT: port });
  let printed = '';
  receiver.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  try {
    await eventually(() => printed.includes('Listening'));
    const forged = { 'webhook-id': '1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' };
    expect((await fetch(url, { method: 'POST', body: '{}', headers: forged })).status).toBe(400);
    await sendHalf(Number(port));
    await client.post('/v1/pets').send({ name: 'Rex', categoryId: 7 }).expect(201);
    const path = `/v1/webhooks/${webhook.id}/deliveries`;
    const delivery = async () => ((await client.get(path)).body as { id: number; state: string }[])[0];
    await eventually(async () => (await delivery())?.state === 'delivered');
    await client.post(`${path}/${(await delivery())?.id}/retry`).expect(202); // a repeat, which it drops
    await eventually(async () => (await delivery())?.state === 'delivered');
  } finally {
    receiver.kill();
    await client.delete(`/v1/webhooks/${webhook.id}`);
  }
  return printed;
}

const ONCE = /^Listening [^\n]+\npet\.created [^\n]*\bRex\b[^\n]*\n$/;

/** What it prints as it ends by itself: without a secret, with none of a webhook, and with a port that is in use. */
async function mistakes(start: (env: Record<string, string>) => ReturnType<typeof spawn>): Promise<string[]> {
  const port = new URL(await petstore.app.getUrl()).port;
  const environments: Record<string, string>[] = [
    {},
    { WEBHOOK_SECRET: 'whsec_...' }, // copied from a README
    { WEBHOOK_SECRET: 'whsec_AAAA', PORT: port },
  ];
  return Promise.all(
    environments.map((env) => text(start({ PORT: '0', ...env }).stderr ?? Readable.from([]))),
  );
}

const SET_SECRET = 'Set WEBHOOK_SECRET to the `secret` (whsec_…) in the response of POST /v1/webhooks.\n';
const IN_ONE_LINE = [
  SET_SECRET,
  SET_SECRET,
  expect.stringMatching(/^Cannot listen: .*in use.*\n$/) as string,
];

describe('the receiver in TypeScript', () => {
  let folder: Awaited<ReturnType<typeof emptyFolder>>;
  const start = (env: Record<string, string>) =>
    spawn(process.execPath, [join(folder.path, 'webhook-receiver.mjs')], { env });

  beforeAll(async () => {
    folder = await emptyFolder();
    await installPackedClient(folder.path);
    const { code } = await transformFile(join(ROOT, 'clients/examples/typescript/webhook-receiver.ts'), {
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    });
    await writeFile(join(folder.path, 'webhook-receiver.mjs'), code);
  });
  afterAll(() => folder.remove());

  it('verifies a delivery, refuses a forged one, and ignores a repeat', async () => {
    expect(await deliverTo(start)).toMatch(ONCE);
  });

  it('says in one line why it does not start', async () => {
    expect(await mistakes(start)).toEqual(IN_ONE_LINE);
  });
});

describe('the receiver in Python', () => {
  const start = (env: Record<string, string>) =>
    runPython([join(ROOT, 'clients/examples/python/webhook_receiver.py')], {
      ...env,
      PYTHONPATH: join(ROOT, 'clients/python/src'),
      PYTHONUTF8: '1',
    });

  itWithPython('verifies a delivery, refuses a forged one, and ignores a repeat', async () => {
    expect(await deliverTo(start)).toMatch(ONCE);
  });

  itWithPython('says in one line why it does not start', async () => {
    expect(await mistakes(start)).toEqual(IN_ONE_LINE);
  });
});
