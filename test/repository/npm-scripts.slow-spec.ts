import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyFolder } from '../support/program.js';
import { readText } from '../support/repository.js';

describe('the bill of materials', () => {
  it('lists exactly the production packages', async () => {
    const folder = await emptyFolder();
    const file = join(folder.path, 'sbom.json');
    execFileSync(process.execPath, [join(import.meta.dirname, '../../.ci/sbom.mjs'), file]);
    const { bomFormat, components } = JSON.parse(readFileSync(file, 'utf8')) as {
      bomFormat: string;
      components: { name: string; version: string }[];
    };
    await folder.remove();
    expect(bomFormat).toBe('CycloneDX');
    const { packages } = JSON.parse(readText('package-lock.json')) as {
      packages: Record<string, { version: string; dev?: boolean }>;
    };
    const production = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);
    const listed = (all: readonly string[]) => [...new Set(all)].sort();
    expect(listed(components.map(({ name, version }) => `${name}@${version}`))).toEqual(
      listed(production.map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`)),
    );
  });
});
