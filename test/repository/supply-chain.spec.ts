import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { minVersion, satisfies } from 'semver';
import { allFilesIn, readText } from '../support/repository.js';

const ROOT = join(import.meta.dirname, '../..');

interface LockedPackage {
  readonly version: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly engines?: { readonly node?: string };
}

interface Manifest {
  readonly engines: { readonly node: string };
  readonly allowScripts?: Readonly<Record<string, boolean>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const read = async (file: string): Promise<unknown> => JSON.parse(await readFile(join(ROOT, file), 'utf8'));

const service = await readFolder('.');
const lab = await readFolder('lab');

async function readFolder(folder: string) {
  const manifest = (await read(join(folder, 'package.json'))) as Manifest;
  const { packages } = (await read(join(folder, 'package-lock.json'))) as {
    packages: Record<string, LockedPackage>;
  };
  const locked = Object.entries(packages)
    .filter(([path]) => path !== '')
    .map(([path, one]) => [path.split('node_modules/').at(-1) ?? path, one] as const);
  return {
    manifest,
    packages,
    locked,
    named: Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }),
  };
}

describe.each([
  ['package-lock.json', service],
  ['lab/package-lock.json', lab],
])('%s', (_, { manifest, locked }) => {
  it('has a digest for every package', () => {
    expect(
      locked.filter(([, { integrity }]) => !(integrity ?? '').startsWith('sha512-')).map(([name]) => name),
    ).toEqual([]);
  });

  it('has exactly the install scripts that allowScripts names', () => {
    const scripted = locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(([name]) => name);
    expect(Object.keys(manifest.allowScripts ?? {}).sort()).toEqual([...new Set(scripted)].sort());
  });

  it('makes npm ci print no warning on the oldest supported release of each Node.js version', () => {
    expect(manifest.engines).toEqual(service.manifest.engines);
    const oldest = manifest.engines.node.split(' || ').map((range) => minVersion(range)?.version ?? range);
    expect(oldest.map((version) => version.split('.')[0])).toEqual(['20', '22', '24']);
    const refusing = locked.filter(
      ([, { engines }]) => !oldest.every((version) => satisfies(version, engines?.node ?? '*')),
    );
    expect(refusing.map(([name, { engines }]) => `${name}: ${engines?.node}`)).toEqual([]);
  });
});

describe('lab/', () => {
  const imported = new Set(
    allFilesIn('lab')
      .filter((file) => file.endsWith('.mjs') && !file.includes('node_modules/'))
      .flatMap((file) => [...readText(`lab/${file}`).matchAll(/(?:^import|from) '([^'.:][^':]*)'/gm)])
      .map(([, path]) => /^(@[^/]+\/)?[^/]+/.exec(path ?? '')?.[0] ?? ''),
  );

  it('imports what it names itself, and otherwise only what the service names', () => {
    expect(lab.named.filter((name) => !imported.has(name))).toEqual([]);
    expect(
      [...imported].filter((name) => !lab.named.includes(name) && !service.named.includes(name)),
    ).toEqual([]);
  });

  it('names nothing that the service names', () => {
    expect(lab.named.filter((name) => service.named.includes(name))).toEqual([]);
  });

  it('measures all servers with one version of what the service names', () => {
    const versionOf = (packages: typeof lab.packages, name: string) =>
      packages[`node_modules/${name}`]?.version;
    const shared = service.named.filter((name) => versionOf(lab.packages, name) !== undefined);
    expect(shared.map((name) => [name, versionOf(lab.packages, name)])).toEqual(
      shared.map((name) => [name, versionOf(service.packages, name)]),
    );
  });
});
