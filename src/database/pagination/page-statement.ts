import type { EntityMetadata } from 'typeorm';
import { allColumns, column } from '../pipeline/columns.js';
import type { Statement } from '../pipeline/statement.js';

/**
 * The SQL of a page, from the entity's own description. It has a name, so `pg` prepares it once per connection;
 * `Repository.find` builds the same SQL anew, and has PostgreSQL plan it anew, on every call.
 * Its values: one per filter, the id to start after if `after`, the number of rows.
 */
export function pageStatement(entity: EntityMetadata, filters: readonly string[], after: boolean): Statement {
  const name = `page of ${entity.tableName} by ${filters.join()}${after ? ' after' : ''}`;
  return { name, text: sql(entity, filters, after) };
}

function sql(entity: EntityMetadata, filters: readonly string[], after: boolean): string {
  const conditions = [
    ...filters.map((filter, i) => `${column(entity, filter)} = $${i + 1}`),
    ...(after ? [`"id" > $${filters.length + 1}`] : []),
  ];
  const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
  return `SELECT ${allColumns(entity)} FROM "${entity.tableName}"${where} ORDER BY "id" LIMIT $${conditions.length + 1}`;
}
