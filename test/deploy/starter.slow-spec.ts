import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeWhereFound, describeWith } from '../support/describe-with.js';
import { emptyFolder } from '../support/program.js';
import { type } from '../support/type.js';

interface Starter {
  namesOf(program: string, title: string | undefined, module: string): { program: string };
  write(folder: string, platform: { spec: string }, names: { program: string }): Promise<number>;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** As `npm ci` of the service unpacks it. */
const PACKAGE = join(ROOT, 'dist/package');
const INSTALLED = 'node_modules/petstore-platform';

let folder: Awaited<ReturnType<typeof emptyFolder>>;
let starter: Starter;
let service: string;
const paths = () =>
  readdirSync(service, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(service, path)).isFile(),
  );
const text = (path: string) => readFileSync(join(service, path), 'utf8');
const begin = (program: string, title?: string) =>
  starter.write(join(folder.path, program), { spec: 'file:x.tgz' }, starter.namesOf(program, title, 'books'));

/** The prefix of its metrics has another character than its name. */
const PROGRAM = 'lending-desk';

beforeAll(async () => {
  folder = await emptyFolder();
  await type(process.execPath, ['tools/package/pack.mjs'], ROOT);
  starter = (await import(join(PACKAGE, 'tools/package/starter.mjs'))) as Starter;
  service = join(folder.path, PROGRAM);
  await begin(PROGRAM);
});
afterAll(() => folder.remove());

describe('the files with which a service is deployed', () => {
  it('have its names, and none of this service', () => {
    const found = paths().flatMap((path) => [path, ...text(path).split('\n')]);
    expect(found.filter((line) => /pet.?store(?!-platform)|\bpets?\b/i.test(line))).toEqual([]);
  });

  it('name the program in Docker and Kubernetes, and the prefix in metrics, variables, roles and keys of Redis', () => {
    expect(text('deploy/kubernetes/base/worker.yaml')).toContain('name: lending-desk-worker');
    expect(text('deploy/compose/production.yml')).toContain(
      'image: lending-desk:${LENDING_DESK_VERSION:-local}',
    );
    expect(text('deploy/compose/secrets.sh')).toContain(' ~lending_desk:* ');
    expect(text('deploy/compose/owner-role.sh')).toContain('CREATE ROLE lending_desk_owner');
    expect(text('deploy/prometheus/alerts.yml')).toContain('absent(lending_desk_build_info{');
    expect(text('.gitignore')).toContain('\n.lending_desk/\n'); // its data folder
  });

  it('say “the Lending Desk service” in sentences', async () => {
    expect(text('src/service.ts')).toContain("noun: 'Lending Desk service'");
    await begin('desk', 'Desk Service');
    expect(readFileSync(join(folder.path, 'desk/src/service.ts'), 'utf8')).toContain("noun: 'Desk Service'");
  });

  it('lead each alert to its row, and each link to a page', () => {
    const rows = text('docs/incidents.md');
    const alerts = ['alerts', 'stack-alerts'].map((name) => text(`deploy/prometheus/${name}.yml`)).join('');
    const runbooks = [...alerts.matchAll(/runbook_url: (.+)#(.+)/g)];
    expect(runbooks.length).toBeGreaterThan(30);
    for (const [, page, row] of runbooks) {
      expect(page).toBe('https://git.example.com/lending-desk/blob/main/docs/incidents.md');
      expect(rows).toContain(`<a id="${row}"></a>`);
    }
    const isThere = (path: string) =>
      existsSync(
        path.includes(INSTALLED) ? join(PACKAGE, path.split(INSTALLED)[1] ?? '') : join(service, path),
      );
    const links = paths().flatMap((path) => [
      ...[...text(path).matchAll(/\]\((?!http)([^)#]+)/g)].map(([, link]) => join(dirname(path), link ?? '')),
      ...[...text(path).matchAll(/[\w./-]*\bdocs\/[\w-]+\.md/g)].map(([link]) =>
        link.replace(/^(\.\.)?\//, ''),
      ),
    ]);
    expect(links.filter((path) => !path.includes('blob') && !isThere(path))).toEqual([]);
  });

  it('give the image what it copies, and its build nothing else', () => {
    const copied = text('Dockerfile')
      .split('\n')
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
      .flatMap((line) => line.split(/ +/).slice(1, -1));
    const passed = text('.dockerignore').match(/(?<=^!).+/gm) ?? [];
    for (const path of copied) {
      expect(passed.some((entry) => path.startsWith(entry))).toBe(true);
      if (path !== 'package-lock.json') expect([path, existsSync(join(service, path))]).toEqual([path, true]);
    }
    for (const entry of passed) expect(copied.some((path) => path.startsWith(entry))).toBe(true);
  });

  it('name no file that is not there', () => {
    const named = paths().flatMap((path) =>
      [...text(path).matchAll(/(?:\$root|['" ]\.)\/((?:deploy|src)\/[\w./-]+)/g)].map(
        ([, file]) => file ?? '',
      ),
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((file) => !existsSync(join(service, file)))).toEqual([]);
  });

  it('have scripts that can be executed, and commands that every shell understands', () => {
    const scripts = paths().filter((path) => path.endsWith('.sh'));
    expect(scripts.length).toBeGreaterThan(5);
    for (const path of scripts) expect(spawnSync('sh', ['-n', path], { cwd: service }).status).toBe(0);
    const written = paths().filter((path) => text(path).startsWith('#!'));
    expect(written.filter((path) => !(statSync(join(service, path)).mode & 0o100))).toEqual([]);
    const commands = Object.values((JSON.parse(text('package.json')) as { scripts: object }).scripts);
    for (const command of commands) expect(command).toMatch(/^[a-z-]+( [\w./:=*-]+)*$/);
  });

  it.each(['worker', 'redis', 'grafana', 'health', 'Books', 'petstore-platform'])(
    'are refused for a service called %s, which something else is',
    async (name) => {
      await expect((async () => begin(name))()).rejects.toThrow(`"${name}"`);
      expect(existsSync(join(folder.path, name))).toBe(false);
    },
  );

  it.each([`Ann's`, 'A "B"', '${A}', 'a\nb', ' '])('are refused for the title %j', (title) => {
    expect(() => starter.namesOf('books', title, 'books')).toThrow('title');
  });
});

describeWith('promtool', 'the alert rules of a service', () => {
  it('are valid', () => {
    const rules = ['deploy/prometheus/alerts.yml', 'deploy/prometheus/stack-alerts.yml'];
    const { status, stderr } = spawnSync('promtool', ['check', 'rules', ...rules], {
      cwd: service,
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

describeWhereFound('kubectl', 'the manifests of a service', () => {
  it.each(['kubernetes/base', 'kubernetes/ingress', 'kubernetes/prometheus-operator', 'backup'])(
    'deploy/%s: can be made',
    (path) => {
      const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', `deploy/${path}`], {
        cwd: service,
        encoding: 'utf8',
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toContain('namespace: lending-desk');
    },
  );
});
