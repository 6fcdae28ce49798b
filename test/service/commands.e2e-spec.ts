import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Petstore } from '../support/petstore.js';
import { emptyFolder } from '../support/program.js';
import { readText } from '../support/repository.js';
import { runBlocks, shellBlocks } from '../support/shell-blocks.js';

const ADDRESS = 'http://127.0.0.1:3000';

/** The pages whose calls are run, with what each block prints. */
const RUN: Record<string, readonly (readonly RegExp[])[]> = {
  'README.md': [
    [/^HTTP\/1.1 200 OK/, /Link: .*rel="next"/, /\{"id":\d+,"name":"Rex","categoryId":1,/, /"plan":"free"/],
  ],
  'docs/tutorial.md': [
    [/^$/],
    [/^$/],
    [/^HTTP\/1.1 200 OK/, /X-RateLimit-Limit: 60/, /ETag: "/, /\[\{"id":1,/],
    [/ 201 Created[^]* 201 Created[^]*Idempotent-Replayed: true[^]* 422 [^]*"idempotency_key_reused"/],
    [/^\{"pets":\[\{"id":\d+,"name":"Ben"[^]*"name":"Emma"[^]*"validation_failed"[^]*pets\.1\.name/],
    [/^$/],
    [/"name":"Luna","categoryId":1,"status":"pending"[^]*"pet_not_available"/],
    [/"status":"approved"[^]*"status":"delivered"[^]*"name":"Luna","categoryId":1,"status":"sold"/],
    [/^\[\{"id":\d+,"name":"Rex","categoryId":\d+,"status":"available"\}/],
    [/^\[\{"id":\d+,"petId":\d+,[^{]*"status":"delivered"[^{]*$/],
    [/Link: <[^>]+>; rel="next"[^]*"type":"order.delivered"/],
    [/"secret":"whsec_/],
    [/"petId":\d+,.*"status":"placed"/],
    [/^HTTP\/1.1 204 /],
    [
      /^HTTP\/1.1 400 [^]*Content-Type: application\/json[^]*"code":"validation_failed"/,
      /"plan":"free","minute":\{"limit":60,"remaining":\d+,/,
    ],
    [/^HTTP\/1.1 429 [^]*Retry-After: \d+[^]*"rate_limit_exceeded"/],
  ],
};

describe.each(Object.entries(RUN))('the calls of %s', (page, expected) => {
  let petstore: Petstore;
  let folder: Awaited<ReturnType<typeof emptyFolder>>;

  beforeAll(async () => {
    petstore = await Petstore.start({ env: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' } });
    await petstore.query(
      `INSERT INTO pets (name, category_id, status) SELECT 'Rex', 1, 'available' FROM generate_series(1, 5)`,
    );
    folder = await emptyFolder();
    await mkdir(join(folder.path, '.petstore'));
    await writeFile(
      join(folder.path, '.petstore/demo-keys.json'),
      JSON.stringify({ free: await petstore.key('free') }),
    );
  });
  afterAll(async () => {
    await petstore.stop();
    await folder.remove();
  });

  it('do what the page says when pasted in order (only the port differs)', async () => {
    const address = await petstore.app.getUrl();
    const blocks = shellBlocks(readText(page)).filter((block) => !/^(\w+=\S+ )?(npm|git) /.test(block));
    const printed = await runBlocks(
      blocks.map((block) => block.replaceAll(ADDRESS, address)),
      folder.path,
    );
    expect(printed).toHaveLength(expected.length);
    for (const [index, forms] of expected.entries())
      for (const form of forms) expect(printed[index]?.trim()).toMatch(form);
  });
});
