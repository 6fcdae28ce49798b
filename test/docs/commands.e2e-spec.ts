import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeShop } from '../support/features.js';
import { Petstore } from '../support/petstore.js';
import { emptyFolder } from '../support/program.js';
import { filesIn, readText } from '../support/repository.js';
import { runBlocks, shellBlocks } from '../support/shell-blocks.js';

const ADDRESS = 'http://127.0.0.1:3000';

/** The pages whose calls are run, with what each block prints. */
const RUN: Record<string, readonly (readonly RegExp[])[]> = {
  'README.md': [
    [/^HTTP\/1.1 200 OK/, /Link: .*rel="next"/, /\{"id":\d+,"name":"Rex","categoryId":1,/, /"plan":"free"/],
  ],
  'docs/tutorial.md': [
    [/^$/],
    [/^HTTP\/1.1 200 OK/, /X-RateLimit-Limit: 60/, /ETag: "/, /\[\{"id":1,/],
    [/ 201 Created[^]* 201 Created[^]*Idempotent-Replayed: true[^]* 422 [^]*"idempotency_key_reused"/],
    [
      /"name":"Luna","categoryId":1,"status":"pending"[^]*"pet_not_available"/,
      /"status":"approved"[^]*"status":"delivered"[^]*"name":"Luna","categoryId":1,"status":"sold"/,
    ],
    [/"type":"order.delivered"/],
    [/"secret":"whsec_/],
    [
      /^HTTP\/1.1 400 [^]*Content-Type: application\/json[^]*"code":"validation_failed"/,
      /"plan":"free","minute":\{"limit":60,"remaining":\d+,/,
    ],
    [/^HTTP\/1.1 429 [^]*Retry-After: \d+[^]*"rate_limit_exceeded"/],
  ],
};

/** Blocks that are not run here, by what they begin with. */
const NOT_RUN: Record<string, string> = {
  'npm ci': '.ci/run installs, starts and tests a clone',
  'npm start': '.ci/run starts the built service',
  'npm test': 'this is a part of it',
  'npm run build\nnpm run bench': 'it takes ten minutes; .ci/run runs a short one',
  'npm run generate': 'repository/generator.slow-spec.ts and repository/guide.slow-spec.ts run it',
  'npm run migration': 'repository/guide.slow-spec.ts runs it',
  'npm run openapi:snapshot': 'it writes into the repository; repository/guide.slow-spec.ts runs it',
  'KEY=$(node -p': 'the module of the chapter is needed; repository/guide.slow-spec.ts builds it',
  "echo 'COMPOSE_FILE": 'it needs Docker; test/deploy/ holds what it writes',
  "echo 'COMPOSE_FILE=": 'it needs Docker; test/deploy/ holds what it reads',
  'docker ': 'it needs Docker; test/deploy/ holds what it reads',
  'curl -i -H "Authorization: Bearer $KEY" \'http://localhost':
    'it needs Docker; test/deploy/ holds what it reads',
  'deploy/backup/': 'test/deploy/backup.slow-spec.ts runs these scripts',
  'kubectl ': 'it needs a cluster; test/deploy/ holds what it reads',
  'sudo ': 'it needs root and systemd',
  'petstore ': 'test/behaviour/webhooks-commands.e2e-spec.ts runs these commands',
  'git pull': 'it needs Docker; resilience/rolling-upgrade.slow-spec.ts upgrades and goes back as it does',
};

const pages = [
  'README.md',
  ...filesIn('docs')
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];
const reasonOf = (block: string) =>
  Object.entries(NOT_RUN).find(([beginning]) => block.startsWith(beginning))?.[1];
const isRun = (page: string, block: string) => page in RUN && !block.startsWith('npm');
const left = pages.flatMap((page) =>
  shellBlocks(readText(page))
    .filter((block) => !isRun(page, block))
    .map((block) => ({ page, block, reason: reasonOf(block) })),
);

describe('a command of a page', () => {
  it('is run here, or has a reason why not', () => {
    expect(left.filter(({ reason }) => reason === undefined)).toEqual([]);
  });

  it('has no obsolete reason', () => {
    const needed = Object.keys(NOT_RUN).filter((start) => left.some(({ block }) => block.startsWith(start)));
    expect(needed).toEqual(Object.keys(NOT_RUN));
  });
});

describeShop().each(Object.entries(RUN))('the calls of %s', (page, expected) => {
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
    const blocks = shellBlocks(readText(page)).filter((block) => isRun(page, block));
    const printed = await runBlocks(
      blocks.map((block) => block.replaceAll(ADDRESS, address)),
      folder.path,
    );
    expect(printed).toHaveLength(expected.length);
    for (const [index, forms] of expected.entries())
      for (const form of forms) expect(printed[index]?.trim()).toMatch(form);
  });
});
