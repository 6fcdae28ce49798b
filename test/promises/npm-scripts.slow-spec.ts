import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { emptyFolder } from '../support/program.js';
import { readText } from '../support/repository.js';

const ROOT = join(import.meta.dirname, '../..');

interface LockedPackage {
  readonly version: string;
  readonly dev?: boolean;
}

const manifest = JSON.parse(readText('package.json')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const { packages } = JSON.parse(readText('package-lock.json')) as { packages: Record<string, LockedPackage> };
const locked = Object.entries(packages)
  .filter(([path]) => path !== '')
  .map(([path, one]) => [path.split('node_modules/').at(-1) ?? path, one] as const);

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the script of `npm run audit` or `npm run sbom` without npm. */
const script = (name: 'audit' | 'sbom', ...args: readonly string[]): Promise<Ran> =>
  new Promise((resolve) => {
    const options = { cwd: ROOT, maxBuffer: 2 ** 26 };
    execFile(process.execPath, [join('.ci', `${name}.mjs`), ...args], options, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
  });

describe('npm run sbom', () => {
  it('lists exactly the production packages, as CycloneDX', async () => {
    const folder = await emptyFolder();
    const file = join(folder.path, 'sbom.json');
    expect(await script('sbom', file)).toMatchObject({ code: 0 });
    const text = await readFile(file, 'utf8');
    await folder.remove();
    const sbom = JSON.parse(text) as {
      bomFormat: string;
      specVersion: string;
      metadata: { component: { purl: string; type: string } };
      components: { name: string; version: string; purl: string; hashes?: object[] }[];
    };
    expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: expect.stringMatching(/^1\.\d$/) });
    expect(sbom.metadata.component).toMatchObject({
      purl: expect.stringMatching(/^pkg:npm\/petstore-service@/),
      name: 'petstore-service',
      type: 'application',
    });
    const isShipped = (name: string, dev?: boolean) => !dev || name === 'redoc'; // its script is in dist/
    const expected = locked
      .filter(([name, { dev }]) => isShipped(name, dev))
      .map(([name, { version }]) => `${name}@${version}`);
    const components = sbom.components.map(({ name, version }) => `${name}@${version}`);
    expect([...new Set(components)].sort()).toEqual([...new Set(expected)].sort());
    for (const { purl } of sbom.components) expect(purl).toMatch(/^pkg:npm\//);
  });

  it('is part of the build', () => {
    expect(manifest.scripts.build).toMatch(/ && npm run --silent sbom$/);
  });
});

describe('npm run audit', () => {
  const WEAKNESS = {
    id: 1,
    url: 'https://advisories.test/1',
    title: 'x',
    severity: 'high',
    vulnerable_versions: '*',
  };

  /** Runs the audit against a registry with the given response. */
  async function audit(status: number, body: object): Promise<Ran> {
    const registry = createServer(({ method, url = '' }, response) => {
      const asked =
        method === 'POST' ? body : { name: decodeURIComponent(url.slice(1)), 'dist-tags': {}, versions: {} };
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(asked));
    }).listen(0, '127.0.0.1');
    await once(registry, 'listening');
    const { port } = registry.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/`;
    const ran = await script('audit', `--registry=${url}`, '--fetch-retries=0');
    registry.close();
    return ran;
  }

  it('succeeds if no vulnerability is known', async () => {
    expect(await audit(200, {})).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('No known weaknesses'),
    });
  });

  it('fails on a vulnerability in a production package, and names it', async () => {
    expect(await audit(200, { pg: [{ ...WEAKNESS, name: 'pg' }] })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Known weaknesses: .*\bpg\b/),
    });
  });

  it.each([404, 405])('reports that it could not query a registry that returns %s', async (status) => {
    expect(await audit(status, {})).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^NOT AUDITED: /),
    });
  });

  it('fails if the registry fails', async () => {
    expect(await audit(500, {})).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The audit failed'),
    });
  });
});
