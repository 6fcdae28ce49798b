import type { EntityMetadata, ObjectLiteral, Repository } from 'typeorm';
import type { Int64 } from '../../kernel/json/int64.js';

import { allColumns, column } from './columns.js';
import { madeOnce } from './made-once.js';
import { read, write } from './run-statement.js';
import type { Statement } from './statement.js';

/**
 * The row with this id, as `Repository.findOneBy` gives it, but for relations and transformers. It is shared by all
 * who ask at the same time, so nobody may change it.
 */
export async function findRow<E extends { id: Int64 }>(
  repository: Repository<E>,
  id: Int64,
): Promise<Readonly<E> | undefined> {
  const statement = remembered(repository, 'find', () => findStatement(repository.metadata));
  const [row] = await read(repository, { ...statement, values: [id] });
  return row;
}

/**
 * Adds a row and gives it back with what the database has set, as `Repository.save` does, but for relations and
 * transformers, and with one statement in place of a transaction of three. Writes of other requests may share its
 * transaction; each still succeeds or fails for itself.
 */
export async function insertRow<E extends ObjectLiteral>(
  repository: Repository<E>,
  values: Partial<E>,
): Promise<E> {
  const properties = Object.keys(values);
  const name = `insert ${properties.join()}`;
  const statement = remembered(repository, name, () => insertStatement(repository.metadata, properties));
  const [row] = await write(repository, { ...statement, values: Object.values(values) });
  if (!row) throw new Error('PostgreSQL gave no row back');
  return row;
}

const remembered = madeOnce<Statement>();

function findStatement(entity: EntityMetadata): Statement {
  const text = `SELECT ${allColumns(entity)} FROM "${entity.tableName}" WHERE "id" = $1`;
  return { name: `find ${entity.tableName}`, text };
}

function insertStatement(entity: EntityMetadata, properties: readonly string[]): Statement {
  const columns = properties.map((property) => column(entity, property)).join(', ');
  const values = properties.map((_, i) => `$${i + 1}`).join(', ');
  return {
    name: `insert ${entity.tableName} ${properties.join()}`,
    text: `INSERT INTO "${entity.tableName}" (${columns}) VALUES (${values}) RETURNING ${allColumns(entity)}`,
  };
}
