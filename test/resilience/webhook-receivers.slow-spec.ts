import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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

describe('the receiver', () => {
  it('in TypeScript verifies a delivery, refuses a forged one, and ignores a repeat', async () => {
    const folder = await emptyFolder();
    await installPackedClient(folder.path);
    const file = join(folder.path, 'webhook-receiver.mjs');
    const { code } = await transformFile(join(ROOT, 'clients/examples/typescript/webhook-receiver.ts'), {
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    });
    await writeFile(file, code);
    const printed = await deliverTo((env) => spawn(process.execPath, [file], { env }));
    expect(printed).toMatch(ONCE);
    await folder.remove();
  });

  itWithPython('in Python does the same', async () => {
    const printed = await deliverTo((env) =>
      runPython([join(ROOT, 'clients/examples/python/webhook_receiver.py')], {
        ...env,
        PYTHONPATH: join(ROOT, 'clients/python/src'),
      }),
    );
    expect(printed).toMatch(ONCE);
  });
});
