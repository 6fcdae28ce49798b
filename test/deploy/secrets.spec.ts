import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyFolder } from '../support/program.js';
import { readText } from '../support/repository.js';

describe('deploy/compose/secrets.sh', () => {
  let folder: Awaited<ReturnType<typeof emptyFolder>>;
  const at = (...names: string[]) => join(folder.path, ...names);
  const read = (...names: string[]) => readFileSync(at(...names), 'utf8').trim();
  /** The group of the service's user, which only root can give away here. */
  const script = () => readText('deploy/compose/secrets.sh').replaceAll('10001', '"$(id -g)"');
  const generate = () => execFileSync('sh', ['-c', script(), 'secrets.sh', folder.path]);

  beforeEach(async () => {
    folder = await emptyFolder();
  });
  afterEach(() => folder.remove());

  it('gives each service the secrets that it uses, and no other', () => {
    generate();
    const given = Object.fromEntries(
      readdirSync(folder.path, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => [name, readdirSync(at(name)).sort()]),
    );
    expect(given).toEqual({
      'exporter-account': ['postgres_password'],
      migrate: ['database_url'],
      petstore: ['database_url', 'redis_url', 'webhook_secret_keys'],
      postgres: ['owner_password', 'postgres_password'],
      redis: ['redis.acl'],
      worker: ['database_url', 'webhook_secret_keys'],
    });
  });

  it('lets nobody but the group of the service read them', () => {
    generate();
    for (const entry of readdirSync(folder.path, { withFileTypes: true, recursive: true }))
      expect([entry.name, statSync(join(entry.parentPath, entry.name)).mode & 0o007]).toEqual([
        entry.name,
        0,
      ]);
  });

  it('connects the service as the owner of the database, and keeps what is there', () => {
    writeFileSync(at('postgres_password'), 'my-own');
    generate();
    const first = read('petstore', 'database_url');
    expect(first).toBe(`postgres://petstore_owner:${read('owner_password')}@postgres:5432/petstore`);
    expect(read('postgres', 'postgres_password')).toBe('my-own');
    generate();
    expect(read('petstore', 'database_url')).toBe(first);
  });

  it('refuses an installation whose service is a superuser, as before owner.sh of 1.3', () => {
    writeFileSync(at('postgres_password'), 'old');
    writeFileSync(at('database_url'), 'postgres://petstore:old@postgres:5432/petstore\n');
    expect(generate).toThrow('Run deploy/compose/owner.sh of 1.3 once.');
    expect(readdirSync(folder.path).sort()).toEqual(['database_url', 'postgres_password']);
    expect(read('postgres_password')).toBe('old');
    writeFileSync(at('owner_password'), 'new'); // as owner.sh does
    generate();
    expect(read('worker', 'database_url')).toBe('postgres://petstore_owner:new@postgres:5432/petstore');
  });
});
