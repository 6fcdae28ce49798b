import { allFilesIn, readText } from '../../../../test/support/repository.js';

const code = allFilesIn('src/platform') // a module describes its own where its author does
  .filter((file) => file.startsWith('kernel/config/') || file.endsWith('.config.ts'))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
  .map((file) => readText(`src/platform/${file}`))
  .join('\n');
const read = [...code.matchAll(/variables\.(\w+)\('([A-Z][A-Z_]+)'/g)].flatMap(([, reader, name = '']) =>
  reader === 'secretUrl' || reader === 'secret' ? [name, `${name}_FILE`] : [name],
);
const rows = [...readText('docs/configuration.md').matchAll(/^\| `([A-Z][A-Z_]+)` .*\|$/gm)].map(
  ([, name = '']) => name,
);

describe('docs/configuration.md', () => {
  it('has a row for every variable that the service reads', () => {
    const own = new Set(read.filter((name) => !name.startsWith('OTEL_')));
    expect(own.size).toBeGreaterThan(15);
    for (const name of own) expect(rows).toContain(name);
  });
});
