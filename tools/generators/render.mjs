import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import prettier from 'prettier';
import ts from 'typescript';

const TEMPLATE = join(import.meta.dirname, 'template');
const SUFFIX = '.template';
const TIMESTAMP = '0000000000000';
/** How the template imports the platform, which another service has as a package. */
const PLATFORM = /(?<=')(\.\.\/)+platform\/index\.js(?=')/g;

/**
 * The files of a new module, formatted with the project's settings.
 * @param {string} root the repository
 * @param {[from: string, to: string][]} names
 * @param {string} timestamp of the migration
 * @returns {Promise<{ path: string, text: string }[]>} paths relative to the root
 */
export async function render(root, names, timestamp) {
  const all = [...names, [TIMESTAMP, timestamp]];
  const files = (await readdir(TEMPLATE, { recursive: true })).filter((file) => file.endsWith(SUFFIX));
  const platform = await packageOf(root);
  return Promise.all(
    files.sort().map(async (file) => {
      const path = replaceNames(file.slice(0, -SUFFIX.length), all);
      const text = replaceNames(await readFile(join(TEMPLATE, file), 'utf8'), all);
      return {
        path,
        text: await format(join(root, path), platform ? text.replace(PLATFORM, platform) : text),
      };
    }),
  );
}

/** The package from which a service imports the platform, unless it has the sources. */
async function packageOf(root) {
  if (existsSync(join(root, 'src/platform'))) return undefined;
  return JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8')).name;
}

/** Names imported by the template, which the module's own classes must not use. */
export async function importedNames() {
  const lists = (await templateText()).matchAll(/^import (?:type )?\{([^}]+)\} from '(?!.*pet-toy)/gm);
  return new Set(
    [...lists].flatMap(([, names]) => names.split(',').map((name) => name.trim().replace('type ', ''))),
  );
}

/** Names of the template's variables, parameters and functions, which its rows must not have. */
export async function declaredNames() {
  const names = new Set();
  const visit = (node) => {
    const declares =
      ts.isVariableDeclaration(node) ||
      ts.isParameter(node) ||
      ts.isBindingElement(node) ||
      ts.isFunctionDeclaration(node);
    if (declares && ts.isIdentifier(node.name) && !/^petToy/.test(node.name.text)) names.add(node.name.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('template.ts', await templateText(), ts.ScriptTarget.Latest));
  return names;
}

async function templateText() {
  const files = (await readdir(TEMPLATE, { recursive: true })).filter((file) => file.endsWith(SUFFIX));
  return (await Promise.all(files.map((file) => readFile(join(TEMPLATE, file), 'utf8')))).join('');
}

/** In a single pass, so that inserted text is not replaced again. */
function replaceNames(text, names) {
  const to = new Map(names);
  return text.replace(new RegExp([...to.keys()].join('|'), 'g'), (from) => to.get(from));
}

/** @param {string} path determines the parser and the configuration */
export async function format(path, text) {
  return prettier.format(text, { ...(await prettier.resolveConfig(path)), filepath: path });
}
