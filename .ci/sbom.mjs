#!/usr/bin/env node
// Writes a CycloneDX bill of materials of the run-time packages from package-lock.json. `npm sbom --omit dev` also omits packages that a
// development package needs, which are most of them.
import { execSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const [file = 'dist/sbom.cdx.json'] = process.argv.slice(2);
const command = 'npm sbom --package-lock-only --sbom-type application --sbom-format cyclonedx';
const bom = JSON.parse(
  execSync(command, { encoding: 'utf8', maxBuffer: 2 ** 26, stdio: ['ignore', 'pipe', 'inherit'] }),
);

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));

const inUse = new Set(
  Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && !dev)
    .map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`),
);
// npm would use the name of the folder, which depends on the clone.
bom.metadata.component.name = packages[''].name;
const components = bom.components.filter(({ name, version }) => inUse.has(`${name}@${version}`));
const kept = new Set([bom.metadata.component, ...components].map((component) => component['bom-ref']));
const dependencies = bom.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) }));

writeFileSync(file, `${JSON.stringify({ ...bom, components, dependencies }, null, 2)}\n`);
console.log(`${components.length} packages in ${file}`);
