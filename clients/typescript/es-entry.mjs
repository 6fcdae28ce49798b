// Writes the entry for ES modules, which exports what the CommonJS one does: a program that loads the package both ways, such as
// through a dependency, has one class of each error.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const write = (name, text) => writeFileSync(new URL(`dist/${name}`, import.meta.url), text);

write('package.json', '{"type":"commonjs"}\n');
const names = Object.keys(createRequire(import.meta.url)('./dist/index.js'));
write('index.mjs', `export { ${names.join(', ')} } from './index.js';\n`);
write('index.d.mts', `export * from './index.js';\n`);
