import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GeneratorError } from './names.mjs';
import { importedNames } from './render.mjs';

/**
 * Refuses names that collide with existing ones.
 * @param {string} root the repository
 * @param {string} plural
 * @param {string} table
 * @param {string} entity
 * @param {readonly { path: string }[]} files about to be written
 */
export async function checkFree(root, plural, table, entity, files) {
  const folder = `src/shop/${plural}`;
  if (existsSync(join(root, folder))) throw new GeneratorError(`${folder} already exists.`);
  for (const { path } of files) {
    if (existsSync(join(root, path))) throw new GeneratorError(`${path} already exists.`);
  }
  await checkTable(root, table);
  await checkClass(root, entity);
}

async function checkTable(root, table) {
  const creation = new RegExp(`create table (if not exists )?"?${table}"?[\\s(]`, 'i');
  for (const file of await readdir(join(root, 'migrations'))) {
    if (creation.test(await readFile(join(root, 'migrations', file), 'utf8'))) {
      throw new GeneratorError(`migrations/${file} already creates a table ${table}.`);
    }
  }
}

async function checkClass(root, entity) {
  const hint = 'Choose another word with --singular.';
  if ((await importedNames()).has(entity)) {
    throw new GeneratorError(
      `A class ${entity} would collide with the ${entity} that a module imports. ${hint}`,
    );
  }
  const schema = new RegExp(`@ApiSchema\\(\\{ name: '(New)?${entity}(Change)?'`);
  for (const file of await readdir(join(root, 'src'), { recursive: true })) {
    if (file.endsWith('.ts') && schema.test(await readFile(join(root, 'src', file), 'utf8'))) {
      throw new GeneratorError(`src/${file} already describes a ${entity}. ${hint}`);
    }
  }
}
