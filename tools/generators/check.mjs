import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { migrationFolders } from '../scripts/migrations.mjs';
import { GeneratorError } from './names.mjs';
import { declaredNames, importedNames } from './render.mjs';

/**
 * Refuses names that collide with existing ones.
 * @param {string} root the repository
 * @param {string} plural
 * @param {string} table
 * @param {string} entity
 * @param {string} row
 * @param {readonly { path: string }[]} files about to be written
 */
export async function checkFree(root, plural, table, entity, row, files) {
  for (const folder of [`src/${plural}`, `src/features/${plural}`])
    // the second is where 1.3 put modules
    if (existsSync(join(root, folder))) throw new GeneratorError(`${folder} already exists.`);
  for (const { path } of files) {
    if (existsSync(join(root, path))) throw new GeneratorError(`${path} already exists.`);
  }
  await checkTable(root, table);
  await checkFixtures(root, plural, table);
  await checkClass(root, entity);
  await checkVariable(row);
}

async function checkTable(root, table) {
  const creation = new RegExp(`create table (if not exists )?"?${table}"?[\\s(]`, 'i');
  for (const folder of migrationFolders(root))
    for (const file of await readdir(folder))
      if (creation.test(await readFile(join(folder, file), 'utf8')))
        throw new GeneratorError(`${basename(folder)}/${file} already creates a table ${table}.`);
}

/** The suites of the platform run together with the module. */
async function checkFixtures(root, plural, table) {
  const taken = new RegExp(
    `(path: '|@Controller\\(')${plural}['/]|(Entity\\('|create table (if not exists )?)${table}\\b|eventType\\('${table}\\.`,
    'i',
  );
  for (const folder of ['test', 'src/platform'].filter((each) => existsSync(join(root, each))))
    for (const file of await readdir(join(root, folder), { recursive: true }))
      if (
        /spec\.ts$|^items\/.*\.ts$/.test(file) &&
        taken.test(await readFile(join(root, folder, file), 'utf8'))
      )
        throw new GeneratorError(
          `${folder}/${file} has routes or a table named ${plural}. Choose another name, or rename them there.`,
        );
}

const hint = 'Choose another word with --singular.';

async function checkVariable(row) {
  if ((await declaredNames()).has(row))
    throw new GeneratorError(`A variable ${row} would collide with the one of the generated code. ${hint}`);
}

async function checkClass(root, entity) {
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
