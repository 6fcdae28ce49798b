import { createHash } from 'node:crypto';
import { makeSecret } from '../../../src/platform/access/keys/secret.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { becomes, eventually } from '../../support/eventually.js';
import { petstore as command } from '../../support/command-line.js';
import { Petstore } from '../../support/petstore.js';

/** Traces of internals: SQL, stack lines (also in JSON), files and packages. */
const INSIDES =
  /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\b|(\n|\\n)\s+at |node_modules|[\w-]+\.[jt]s\b|[\\/](src|dist)[\\/]/;

/** Everything that would reveal or identify a key: itself, most of it, and what the database stores. */
function tracesOf(secret: string): string[] {
  const hash = createHash('sha256').update(secret).digest();
  return [secret.slice(13, -4), hash.toString('hex'), hash.toString('base64'), hash.toString('base64url')];
}

/** Traces of secrets in a text, and `Authorization` outside of the 401 that asks for it. */
const leaks = (text: string, secrets: readonly string[]): string[] => [
  ...secrets.flatMap(tracesOf).filter((trace) => text.includes(trace)),
  ...(text.match(/authorization(?!: Bearer <API_KEY>)|bearer (?!realm|<API_KEY>)\S+/gi) ?? []),
];

describe('a service with the most verbose log, valid and invalid keys, and a database failure', () => {
  let proxy: TcpProxy;
  let petstore: Petstore;
  let base: string;
  const secrets: string[] = [];
  const responses: string[] = [];

  beforeAll(async () => {
    petstore = await Petstore.start({
      env: { LOG_LEVEL: 'trace' },
      through: async (url) => (proxy = await TcpProxy.to(url)),
    });
    base = await petstore.app.getUrl();
  });
  afterAll(async () => {
    await petstore.stop();
    proxy.remove();
  });

  /** Sends a secret, and stores everything that comes back. */
  async function ask(path: string, init: RequestInit = {}): Promise<number> {
    const response = await fetch(base + path, init);
    responses.push(JSON.stringify([...response.headers]) + (await response.text()));
    return response.status;
  }
  const secret = (value: string): string => {
    secrets.push(value);
    return value;
  };
  const withKey = (key: string): RequestInit => ({ headers: { Authorization: `Bearer ${key}` } });

  /** @returns what the command prints with --json */
  async function manage(...args: string[]): Promise<{ id: string; key: string }> {
    const env = { DATABASE_URL: petstore.databaseUrl };
    const { stdout, stderr } = await command([...args, '--json'], env);
    if (stderr !== '') throw new Error(stderr);
    return JSON.parse(stdout) as { id: string; key: string };
  }
  async function created(): Promise<{ id: string; key: string }> {
    const made = await manage('keys', 'create', '--plan', 'enterprise', '--name', 'x', ...LIMITS);
    secret(made.key);
    return made;
  }
  const LIMITS = ['--per-minute', '9', '--per-day', '9'];

  it('reveals no key, hash, header, SQL, stack or file, in any log line or response', async () => {
    const { id, key } = await created();
    const statuses = [
      await ask('/v1/events', withKey(key)),
      await ask('/v1/events', withKey(secret(makeSecret()))),
      await ask(
        '/v1/events',
        withKey(secret(`${key.slice(0, 30)}${key[30] === 'x' ? 'y' : 'x'}${key.slice(31)}`)),
      ),
      await ask('/v1/events', withKey(secret(key.toUpperCase()))),
      await ask(`/v1/events?limit=0`, withKey(key)),
      await ask(`/v1/events?cursor=${key}`, withKey(key)),
      await ask(`/v1/events?access_token=${key}`),
      await ask(`/v1/events`, { headers: { Cookie: `key=${key}`, 'X-Api-Key': key } }),
      await ask('/v1/events', { ...withKey(key), method: 'POST', body: `{"key":"${key}` }),
    ];
    await becomes(() => ask('/health/ready', withKey(key)), 200); // the first check may exceed its second
    const { key: rotated } = await manage('keys', 'rotate', id, '--overlap', '0');
    await becomes(() => ask('/v1/rate-limit', withKey(key)), 401);
    statuses.push(await ask('/v1/events', withKey(secret(rotated))));
    for (let i = 0; i < 9; i++) await ask('/v1/events', withKey(rotated));
    statuses.push(await ask('/v1/events', withKey(rotated)));
    await manage('keys', 'revoke', id);
    await becomes(() => ask('/v1/rate-limit', withKey(rotated)), 401);
    proxy.cut();
    statuses.push(await ask('/v1/events', withKey(secret(makeSecret()))));
    proxy.mend();
    expect(statuses).toEqual([200, 401, 401, 401, 400, 400, 401, 401, 405, 200, 429, 503]);

    await eventually(() =>
      petstore.log.some(({ route, status }) => route === '/v1/events' && status === 503),
    );
    const log = petstore.log.map((line) => JSON.stringify(line)).join('\n');
    expect(log.match(/"status":(200|401|400|429|503)/g)?.length).toBeGreaterThan(statuses.length); // there is a log
    for (const text of [log, ...responses]) {
      expect(leaks(text, secrets)).toEqual([]);
      expect(INSIDES.exec(text)?.[0]).toBeUndefined();
    }
  });
});
