import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { minVersion, satisfies } from 'semver';

const ROOT = join(import.meta.dirname, '../..');

interface LockedPackage {
  readonly version: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly engines?: { readonly node?: string };
}

interface Manifest {
  readonly engines: { readonly node: string };
  readonly allowScripts: Readonly<Record<string, boolean>>;
}

const read = (file: string) => readFile(join(ROOT, file), 'utf8');

let manifest: Manifest;
let locked: [name: string, one: LockedPackage][];

beforeAll(async () => {
  manifest = JSON.parse(await read('package.json')) as Manifest;
  const { packages } = JSON.parse(await read('package-lock.json')) as {
    packages: Record<string, LockedPackage>;
  };
  locked = Object.entries(packages)
    .filter(([path]) => path !== '')
    .map(([path, one]) => [path.split('node_modules/').at(-1) ?? path, one]);
});

describe('package-lock.json', () => {
  it('has a digest for every package', () => {
    expect(
      locked.filter(([, { integrity }]) => !(integrity ?? '').startsWith('sha512-')).map(([name]) => name),
    ).toEqual([]);
  });

  it('has exactly the install scripts that allowScripts names', () => {
    const scripted = locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(([name]) => name);
    expect(Object.keys(manifest.allowScripts).sort()).toEqual([...new Set(scripted)].sort());
  });
});

describe('npm ci', () => {
  it('prints no warning on the oldest supported release of each Node.js version in package.json', () => {
    const oldest = manifest.engines.node.split(' || ').map((range) => minVersion(range)?.version ?? range);
    expect(oldest.map((version) => version.split('.')[0])).toEqual(['20', '22', '24']);
    const refusing = locked.filter(
      ([, { engines }]) => !oldest.every((version) => satisfies(version, engines?.node ?? '*')),
    );
    expect(refusing.map(([name, { engines }]) => `${name}: ${engines?.node}`)).toEqual([]);
  });
});
