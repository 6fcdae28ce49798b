import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GeneratorError } from './names.mjs';
import { format } from './render.mjs';

const MAP = 'src/features.ts';
const MODULES = /(const MODULES: readonly Feature\[\] = \[)([^\]]*?),?\s*\];/;
const RELATIVE_IMPORT = /^import .* from '\.\/(.+)';$/gm;

/**
 * Adds one more feature to the service's module list.
 * @param {string} root the repository
 * @param {string} plural name of the module's folder
 * @param {string} module its class
 */
export async function register(root, plural, module) {
  const text = await readFile(join(root, MAP), 'utf8');
  if (new RegExp(`\\b${module}\\b`).test(text)) throw new GeneratorError(`${MAP} already knows a ${module}.`);
  if (!MODULES.test(text))
    throw new GeneratorError(`${MAP} has no list "const MODULES: readonly Feature[] = [...];" to add to.`);
  const listed = text.replace(
    MODULES,
    (_, start, others) => `${start}${others ? `${others}, ` : ''}${module}];`,
  );
  const imported = addImport(listed, `${plural}/${plural}.module.js`, module);
  return { path: MAP, text: await format(join(root, MAP), imported) };
}

/** In alphabetical order, like the existing imports. */
function addImport(text, file, module) {
  const line = `import { ${module} } from './${file}';\n`;
  const others = [...text.matchAll(RELATIVE_IMPORT)];
  const next = others.find(([, path]) => path > file);
  const last = others.at(-1);
  const at = next?.index ?? (last ? last.index + last[0].length + 1 : 0);
  return text.slice(0, at) + line + text.slice(at);
}
