import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { describeWhereFound } from '../support/describe-with.js';
import { eventually } from '../support/eventually.js';
import { INSTALLED_POSTGRES, InstalledPostgres } from '../support/installed-postgres.js';
import { Load } from '../support/load.js';
import { COMMAND_LINE, emptyFolder, Program, run } from '../support/program.js';
import { skipped } from '../support/skipped.js';
import { end, type ServiceProcess, ServiceProcesses } from '../support/service-process.js';
import { withClient } from '../support/test-database.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const script = (name: string) => join(import.meta.dirname, '../../deploy/backup', name);

if (INSTALLED_POSTGRES === undefined) skipped('backup and restore', 'install postgresql');

(INSTALLED_POSTGRES === undefined ? describe.skip : describe)(
  'a backup under traffic, and its restore on a new server',
  () => {
    let folder: Awaited<ReturnType<typeof emptyFolder>>;
    let postgres: InstalledPostgres;
    let processes: ServiceProcesses;
    let service: ServiceProcess;
    let worker: Program;
    let receiver: WebhookReceiver;
    let env: Record<string, string>;

    beforeAll(async () => {
      folder = await emptyFolder();
      receiver = await WebhookReceiver.start();
      writeFileSync(join(folder.path, 'keys'), randomBytes(32).toString('base64'));
      await startPostgres();
      await startService();
    });
    afterAll(async () => {
      await stopService();
      postgres.destroy();
      receiver.stop();
      await folder.remove();
    });

    async function startPostgres(): Promise<void> {
      postgres = await InstalledPostgres.start();
      env = {
        DATABASE_URL: postgres.url,
        MIGRATE_AT_START: 'false',
        WEBHOOK_WORKER: 'off',
        WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
        WEBHOOK_SECRET_KEYS_FILE: join(folder.path, 'keys'),
      };
    }

    async function startService(): Promise<void> {
      expect(await petstore('migrate')).toMatchObject({ code: 0 });
      processes = await ServiceProcesses.on(postgres.url, env);
      service = await processes.start();
      worker = new Program(COMMAND_LINE, ['worker'], { cwd: folder.path, env });
      await worker.prints(/The worker delivers webhooks\./);
    }

    async function stopService(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
      await end(service, signal);
      await processes.stop();
      worker.signal(signal);
      await worker.ended;
    }

    const petstore = (...args: string[]) => run(COMMAND_LINE, args, { cwd: folder.path, env });
    const backup = () => join(folder.path, 'backup');
    const saved = (name: string) => join(backup(), name);
    /** @throws with its exit code and what it says */
    const runScript = (name: string, folder = backup(), keys = saved('../keys')) =>
      promisify(execFile)(script(name), ['here', folder], {
        env: { ...postgres.env, WEBHOOK_SECRET_KEYS_FILE: keys },
      });
    const call = async (key: string, path: string, body?: unknown) => {
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
      const response = await fetch(service.url + path, {
        method: body ? 'POST' : 'GET',
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      });
      expect(response.ok).toBe(true);
      return (await response.json()) as Record<string, unknown>;
    };
    const petIds = () =>
      withClient(postgres.url, async (client) => {
        const { rows } = await client.query<{ id: string }>('SELECT id FROM pets');
        return new Set(rows.map(({ id }) => Number(id)));
      });
    const idOf = (body: string) => (JSON.parse(body) as { id: number }).id;
    const deliveredPets = () =>
      new Set(receiver.received.map(({ body }) => (JSON.parse(body) as { data: { id: number } }).data.id));

    it('keep every pet that was acknowledged before, and no receiver takes a new event for an old one', async () => {
      const limits = ['--plan', 'enterprise', '--per-minute', '1000000', '--per-day', '10000000'];
      const { stdout } = await petstore('keys', 'create', '--name', 'load', ...limits, '--json');
      const { key } = JSON.parse(stdout) as { key: string };
      const { secret } = (await call(key, '/v1/webhooks', { url: receiver.url })) as { secret: string };

      const load = new Load(Number(new URL(service.url).port), key);
      await eventually(() => load.created.length > 200);
      const before = load.created.map(idOf);
      await runScript('backup.sh');
      expect(readdirSync(backup()).sort()).toEqual(['petstore.dump', 'webhook-secret-keys']);
      for (const name of ['.', 'petstore.dump', 'webhook-secret-keys'])
        expect(statSync(saved(name)).mode & 0o077).toBe(0);
      const at = load.created.length;
      await eventually(() => load.created.length > at + 200 && deliveredPets().size > at + 100);
      expect(Object.keys(await load.stop()).sort()).toEqual(['GET 200', 'POST 201']);

      await stopService('SIGKILL');
      postgres.destroy();
      unlinkSync(join(folder.path, 'keys'));
      await startPostgres();
      await runScript('restore.sh');
      await startService();

      const kept = await petIds();
      expect(before.filter((id) => !kept.has(id))).toEqual([]);
      const { id } = (await call(key, '/v1/pets', { name: 'Ada', categoryId: 1 })) as { id: number };
      expect(load.created.map(idOf)).not.toContain(id);
      await eventually(() => [...kept, id].every((pet) => deliveredPets().has(pet)));

      const bodies = new Map<string, Set<string>>();
      const messages = new Map<number, Set<string>>();
      for (const { headers, body } of receiver.received) {
        const message = headers['webhook-id'] ?? '';
        const { data } = JSON.parse(body) as { data: { id: number } };
        bodies.set(message, (bodies.get(message) ?? new Set()).add(body));
        messages.set(data.id, (messages.get(data.id) ?? new Set()).add(message));
      }
      expect([...bodies].filter(([, set]) => set.size > 1)).toEqual([]);
      expect([...messages].filter(([, set]) => set.size > 1)).toEqual([]);
      const last = receiver.received.at(-1);
      expect(() => new Webhook(secret).verify(last?.body ?? '', last?.headers ?? {})).not.toThrow();
    });

    it('refuse to overwrite a backup, and to restore while the service runs', async () => {
      await expect(runScript('backup.sh')).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/already exists/) as unknown,
      });
      await withClient(postgres.url, (client) => client.query('CREATE ROLE owner LOGIN'));
      for (const role of ['petstore', 'owner'])
        // PostgreSQL tells another role less about the service's connections
        await expect(
          promisify(execFile)(script('restore.sh'), ['here', backup()], {
            env: { ...postgres.env, PGUSER: role, WEBHOOK_SECRET_KEYS_FILE: saved('../keys') },
          }),
        ).rejects.toMatchObject({
          code: 1,
          stderr: expect.stringMatching(/\d connections to the database are open/) as unknown,
        });
    });

    it('refuse to restore a backup of a version before 1.3, and change nothing', async () => {
      const sql = (text: string) => withClient(postgres.url, (client) => client.query(text));
      const old = saved('../old');
      await sql(`UPDATE migrations SET name = 'x' WHERE name = 'FoldCategoryNamesAsPets1796100000000'`);
      await runScript('backup.sh', old);
      await sql(`UPDATE migrations SET name = 'FoldCategoryNamesAsPets1796100000000' WHERE name = 'x'`);
      const before = await petIds();
      await expect(runScript('restore.sh', old)).rejects.toMatchObject({
        code: 1,
        stderr:
          'restore.sh: The backup is of a version before 1.3, which this version does not upgrade. Restore it with 1.3, and then upgrade.\n' +
          'restore.sh: Nothing has been changed.\n',
      });
      expect(await petIds()).toEqual(before);
    });

    it('leave the database as it is when a file of the scripts is missing', async () => {
      await stopService();
      const before = await petIds();
      const copy = join(folder.path, 'copy/deploy/backup'); // without src/platform
      cpSync(script('.'), copy, { recursive: true });
      await expect(
        promisify(execFile)(join(copy, 'restore.sh'), ['here', backup()], {
          env: { ...postgres.env, WEBHOOK_SECRET_KEYS_FILE: saved('../keys') },
        }),
      ).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /new-ids\.sql.*\nrestore\.sh: The database is unchanged\..*\n$/,
        ) as unknown,
      });
      expect(await petIds()).toEqual(before);
    });

    it('leave the database as it is when the dump is not complete', async () => {
      const before = await petIds();
      const whole = readFileSync(saved('petstore.dump'));
      for (const size of [whole.length - 2_000, Math.floor(whole.length / 2), 100, 1]) {
        truncateSync(saved('petstore.dump'), size);
        await expect(runScript('restore.sh')).rejects.toMatchObject({
          code: 1,
          stderr: expect.stringMatching(
            /^pg_restore: .+\nrestore\.sh: The dump is not complete.*\nrestore\.sh: Nothing has been changed\.\n$/,
          ) as unknown,
        });
        writeFileSync(saved('petstore.dump'), whole);
      }
      expect(await petIds()).toEqual(before);
      truncateSync(saved('petstore.dump'), 1);
    });

    it('are made each day, and only the newest are kept', async () => {
      const backups = join(folder.path, 'each day');
      for (const old of ['2026-01-01T031000Z', '2026-01-02T031000Z', '2026-01-03T031000Z.part'])
        mkdirSync(join(backups, old), { recursive: true });
      await promisify(execFile)(script('daily.sh'), ['here', backups, '2'], {
        env: { ...postgres.env, WEBHOOK_SECRET_KEYS_FILE: saved('../keys') },
      });
      const [older, newest = ''] = readdirSync(backups).sort();
      expect(readdirSync(backups)).toHaveLength(2);
      expect(older).toBe('2026-01-02T031000Z');
      expect(readdirSync(join(backups, newest)).sort()).toEqual(['petstore.dump', 'webhook-secret-keys']);
    });

    describe('that fail', () => {
      let backups: string;
      let bin: string;
      const OLD = ['2026-01-01T031000Z', '2026-01-02T031000Z', '2026-01-03T031000Z'];
      const daily = (env: Record<string, string>, keep = '1') =>
        promisify(execFile)(script('daily.sh'), ['here', backups, keep], {
          env: { ...postgres.env, WEBHOOK_SECRET_KEYS_FILE: saved('../keys'), ...env },
        });
      /** A program that is found before the real one. */
      const standIn = (name: string, text: string) => {
        writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
        return { PATH: `${bin}:${postgres.env.PATH}` };
      };

      beforeEach(async () => {
        const own = (await emptyFolder()).path; // removed with the folder of the run
        [backups, bin] = [join(own, 'backups'), join(own, 'bin')];
        for (const path of [bin, ...OLD.map((old) => join(backups, old))])
          mkdirSync(path, { recursive: true });
        mkdirSync(join(backups, '2026-01-04T031000Z.part')); // of a killed run
      });

      it.each<[string, () => Record<string, string>, RegExp]>([
        [
          'PostgreSQL is down',
          () => ({ PGPORT: '1' }),
          /connection to server .*failed[^]*\nbackup\.sh: There is no backup/,
        ],
        [
          'pg_dump fails',
          () => standIn('pg_dump', 'head -c 100000 /dev/zero; echo "pg_dump: error: it broke" >&2; exit 1'),
          /^pg_dump: error: it broke\n.*ERROR: +pg_dump failed\n/,
        ],
        [
          'the disk has no room for another one',
          () => standIn('df', 'echo Filesystem; echo "disk 1000000 950000 49999 95% /"'),
          /^daily\.sh: Only 48 MiB are free\. The last backup has 0 MiB, and a twentieth of the disk, 48 MiB, stays free\.\n$/,
        ],
      ])('leave nothing behind and delete no backup: %s', async (_, env, why) => {
        for (let retry = 0; retry < 2; retry++) {
          await expect(daily(env())).rejects.toMatchObject({ stderr: expect.stringMatching(why) as unknown });
          expect(readdirSync(backups).sort()).toEqual(OLD);
        }
      });

      it('say so when another one is running, and leave that alone', async () => {
        const slow = standIn('pg_dump', 'touch "$0.began"; while [ ! -e "$0.end" ]; do sleep 0.1; done');
        const first = daily(slow);
        await eventually(() => readdirSync(bin).includes('pg_dump.began'));
        await expect(daily({})).rejects.toMatchObject({
          stderr: expect.stringMatching(/^daily\.sh: Another backup to .+ is running\.$/m) as unknown,
        });
        writeFileSync(join(bin, 'pg_dump.end'), '');
        await first;
      });

      it.each(['0', 'all', '-1', '1 2'])('refuse to keep %j of them', async (keep) => {
        await expect(daily({}, keep)).rejects.toMatchObject({
          stderr: `daily.sh: KEEP is ${keep}, not a number from 1.\n`,
        });
        expect(readdirSync(backups)).toEqual(expect.arrayContaining(OLD));
      });
    });

    it('say that a backup lacks the keys of webhook secrets, and keep those that exist when it is restored', async () => {
      const without = join(folder.path, 'without keys');
      expect((await runScript('backup.sh', without, '')).stderr).toMatch(
        /It holds no keys of webhook secrets/,
      );
      const keys = readFileSync(saved('../keys'), 'utf8');
      await runScript('restore.sh', without);
      expect(readFileSync(saved('../keys'), 'utf8')).toBe(keys);
    });

    it('refuse to restore keys of webhook secrets to nowhere', async () => {
      const before = await petIds();
      const withKeys = join(folder.path, 'with keys');
      await runScript('backup.sh', withKeys);
      await expect(runScript('restore.sh', withKeys, '')).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/set WEBHOOK_SECRET_KEYS_FILE/) as unknown,
      });
      expect(await petIds()).toEqual(before);
    });

    it('pass by a pooler, whose sessions would keep the settings of pg_dump', async () => {
      const direct = {
        DATABASE_URL: 'postgres://pooler.invalid/petstore',
        DATABASE_DIRECT_URL: postgres.url,
      };
      await promisify(execFile)(script('backup.sh'), ['here', join(folder.path, 'direct')], {
        env: { ...postgres.env, ...direct },
      });
      expect(readdirSync(join(folder.path, 'direct'))).toContain('petstore.dump');
    });

    it('keep the rights of other roles', async () => {
      const sql = (text: string) => withClient(postgres.url, (client) => client.query(text));
      await sql('CREATE ROLE reader; GRANT SELECT ON pets TO reader');
      await runScript('backup.sh', `${join(folder.path, 'with a role')}/`);
      await runScript('restore.sh', join(folder.path, 'with a role'));
      expect((await sql('SET ROLE reader; SELECT count(*) FROM pets')) as unknown).toHaveLength(2);
    });

    it('do the same in Kubernetes, with everything scaled to zero while the database is replaced', async () => {
      const [secret, bin, log] = [
        join(folder.path, 'secret'),
        join(folder.path, 'bin'),
        join(folder.path, 'log'),
      ];
      for (const path of [secret, bin]) mkdirSync(path);
      symlinkSync(join(import.meta.dirname, '../support/fake-kubectl.mjs'), join(bin, 'kubectl'));
      writeFileSync(join(secret, 'database-url'), postgres.url);
      writeFileSync(join(secret, 'webhook-secret-keys'), 'the keys');
      const cluster = {
        PATH: `${bin}:${dirname(process.execPath)}:${postgres.env.PATH}`,
        SECRET: secret,
        LOG: log,
      };
      const inCluster = (name: string, env: Record<string, string> = {}) =>
        promisify(execFile)(script(name), ['kubernetes', join(folder.path, 'of the cluster')], {
          env: { ...cluster, ...env },
        });
      const calls = () => readFileSync(log, 'utf8').trim().split('\n');

      await inCluster('backup.sh');
      const before = await petIds();
      await withClient(postgres.url, (client) => client.query('TRUNCATE pets CASCADE'));
      writeFileSync(join(secret, 'webhook-secret-keys'), 'others');
      await expect(inCluster('restore.sh')).rejects.toMatchObject({
        stderr: expect.stringMatching(/OVERLAY: is the overlay that was applied/) as unknown,
      });
      expect(calls().join('\n')).not.toContain('scale');
      writeFileSync(log, '');
      await inCluster('restore.sh', { OVERLAY: 'deploy/kubernetes/base' });
      expect(await petIds()).toEqual(before);
      expect(readFileSync(join(secret, 'webhook-secret-keys'), 'utf8')).toBe('the keys');
      expect(calls().map((call) => call.replace(/ (-|\/).*/, ''))).toEqual([
        'apply',
        'wait',
        'kustomize deploy/kubernetes/base',
        'scale',
        'wait',
        'apply',
        'scale',
        'rollout status',
        'delete pod petstore-backup',
      ]);
      expect(calls()[3]).toBe('scale --replicas=0 deployment/petstore deployment/petstore-worker');

      // Interrupted, it deletes its pod.
      writeFileSync(join(bin, 'psql'), '#!/bin/sh\necho psql >>"$LOG"\nexec sleep 60\n', { mode: 0o755 });
      const args = ['kubernetes', join(folder.path, 'interrupted')];
      const interrupted = spawn(script('backup.sh'), args, { env: cluster, detached: true, stdio: 'ignore' });
      const ended = once(interrupted, 'exit');
      await eventually(() => calls().at(-1) === 'psql');
      process.kill(-(interrupted.pid ?? 0), 'SIGTERM');
      expect(await ended).toEqual([130, null]);
      expect(calls().at(-1)).toMatch(/^delete pod petstore-backup/);
    });
  },
);

describe('a restore in Compose', () => {
  it('ends when the proxy answers', async () => {
    const folder = await emptyFolder();
    const log = join(folder.path, 'log');
    // The third question to the proxy is answered.
    const docker = `#!/bin/sh\necho "$1 $2 $3 $4" >>'${log}'\ncase $2 in exec) [ "$(grep -c exec '${log}')" = 3 ] ;; esac\n`;
    writeFileSync(join(folder.path, 'docker'), docker, { mode: 0o755 });
    writeFileSync(log, '');
    await promisify(execFile)(
      'sh',
      ['-ec', `. '${script('target.sh')}'; start`, script('restore.sh'), 'compose'],
      {
        env: { PATH: `${folder.path}:/usr/bin:/bin` },
      },
    );
    expect(readFileSync(log, 'utf8').split('\n')).toEqual([
      'compose up --detach ',
      ...Array.from({ length: 3 }, () => 'compose exec -T proxy'),
      '',
    ]);
    await folder.remove();
  });
});

describeWhereFound('systemd-analyze', 'the timer of the backup', () => {
  it.each(['petstore-backup.timer', 'petstore-backup.service'])('%s is valid', async (unit) => {
    const folder = await emptyFolder();
    const text = readFileSync(script(unit), 'utf8').replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true');
    writeFileSync(join(folder.path, unit), text);
    const { stderr } = await promisify(execFile)('systemd-analyze', ['verify', join(folder.path, unit)]);
    expect(stderr).not.toContain(unit);
    await folder.remove();
  });

  it('closes what the backup does not need', async () => {
    const args = ['security', '--offline=true', script('petstore-backup.service')];
    const { stdout } = await promisify(execFile)('systemd-analyze', args);
    expect(Number(/exposure level for petstore-backup\.service: (\S+)/.exec(stdout)?.[1])).toBeLessThan(4);
  });
});
