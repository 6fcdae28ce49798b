import { petstore } from '../support/command-line.js';
import { readText } from '../support/repository.js';
import { createTestDatabase, type TestDatabase, withClient } from '../support/test-database.js';

const [, transcript = ''] = /```\n(\$ npx petstore[^]*?)```/.exec(readText('docs/keys.md')) ?? [];
const steps = transcript
  .split(/^\$ npx petstore /m)
  .slice(1)
  .map((step) => /^(.+)\n([^]*)$/.exec(step) ?? [])
  .map(([, command = '', output = '']) => ({ command, output }));

/** What differs from run to run: secrets, times, the host, and with them the width of columns. */
const settled = (text: string): string =>
  text
    .replace(/petstore_\w+(…\w*)?|…\w{4}\b/g, '<key>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/\d{4}-\d\d-\d\d/g, '<day>')
    .replace(/zoe@\S+/g, '<who>')
    .replace(/ {2,}/g, '  ')
    .trim();

const wordsOf = (command: string): string[] =>
  (command.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''));

describe('docs/keys.md', () => {
  let database: TestDatabase;
  const run = (...args: string[]) => petstore(args, { DATABASE_URL: database.url, PETSTORE_ACTOR: 'zoe' });

  beforeAll(async () => {
    database = await createTestDatabase();
    for (const plan of ['free', 'pro', 'business', 'enterprise']) {
      const limits = plan === 'enterprise' ? ['--per-minute', '5000', '--per-day', '1000000'] : [];
      await run('keys', 'create', '--name', `demo ${plan}`, '--plan', plan, '--scopes', 'all', ...limits);
    }
    await withClient(database.url, (client) =>
      client.query(
        `INSERT INTO api_key_usage (key_id, day, requests) VALUES (1, (now() AT TIME ZONE 'UTC')::date - 1, 811)`,
      ),
    );
  });
  afterAll(() => database.drop());

  it('has a transcript of more than five commands', () => {
    expect(steps.length).toBeGreaterThan(5);
  });

  it.each(steps)('shows what petstore $command prints', async ({ command, output }) => {
    const { stdout, stderr } = await run(...wordsOf(command));
    expect(stderr).toBe('');
    expect(settled(stdout)).toBe(settled(output));
  });
});
