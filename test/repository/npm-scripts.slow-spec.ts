import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder } from '../support/program.js';
import { readText } from '../support/repository.js';

const ROOT = join(import.meta.dirname, '../..');

interface LockedPackage {
  readonly version: string;
  readonly dev?: boolean;
}
const { packages } = JSON.parse(readText('package-lock.json')) as { packages: Record<string, LockedPackage> };
const locked = Object.entries(packages)
  .filter(([path]) => path !== '')
  .map(([path, one]) => [path.split('node_modules/').at(-1) ?? path, one] as const);

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the script of `npm run audit`, or the bill of materials, without npm. */
const script = (name: 'audit' | 'sbom', ...args: readonly string[]): Promise<Ran> =>
  new Promise((resolve) => {
    const options = { cwd: ROOT, maxBuffer: 2 ** 26 };
    execFile(process.execPath, [join('.ci', `${name}.mjs`), ...args], options, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
  });

describe('the bill of materials', () => {
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
    const expected = locked.filter(([, { dev }]) => !dev).map(([name, { version }]) => `${name}@${version}`);
    const components = sbom.components.map(({ name, version }) => `${name}@${version}`);
    expect([...new Set(components)].sort()).toEqual([...new Set(expected)].sort());
    for (const { purl } of sbom.components) expect(purl).toMatch(/^pkg:npm\//);
  });
});
