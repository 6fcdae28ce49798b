import { hash } from 'node:crypto';
import type { EntityMetadata, ObjectLiteral, Repository } from 'typeorm';
import { allColumns, column } from '../database/pipeline/columns.js';
import { madeOnce } from '../database/pipeline/made-once.js';
import { write } from '../database/pipeline/run-statement.js';
import type { Statement } from '../database/pipeline/statement.js';
import type { EventType } from './event-type.js';

/** Types whose values PostgreSQL and `JSON.stringify` write as the same JSON. */
const SAME_JSON = ['bigint', 'integer', 'smallint', 'text', 'boolean'];

const remembered = madeOnce<Statement | null>();

/**
 * A row and its event in one statement, which goes to PostgreSQL together with those of other requests: 8 µs more than
 * the row alone, where a transaction of several statements costs 250 (docs/performance.md). It writes what
 * `Repository.save` and the outbox write. `undefined` for a row that it cannot write: the standard way does it then.
 * @param properties of the row, which make the event's data
 */
export function insertWithEvent<Row extends ObjectLiteral>(
  repository: Repository<Row>,
  values: Partial<Row>,
  type: EventType<object>,
  properties: readonly string[],
  occurredAt: Date,
): Promise<Row> | undefined {
  const given = Object.keys(values);
  const name = `insert ${given.join()} with ${type.name} ${properties.join()}`;
  const statement = remembered(repository, name, () =>
    canInsert(repository.metadata, given, properties)
      ? insertStatement(repository.metadata, given, type, properties)
      : null,
  );
  return statement
    ? insert(repository, statement, [...(Object.values(values) as unknown[]), occurredAt])
    : undefined;
}

async function insert<Row extends ObjectLiteral>(
  repository: Repository<Row>,
  statement: Statement,
  values: unknown[],
): Promise<Row> {
  const [row] = await write(repository, { ...statement, values });
  if (!row) throw new Error('PostgreSQL gave no row back');
  return row;
}

/** Plain columns only, and data that is never null: it is left out in a DTO. */
function canInsert(entity: EntityMetadata, given: readonly string[], properties: readonly string[]): boolean {
  const isPlain = entity.relations.length === 0 && entity.columns.every(({ transformer }) => !transformer);
  const isKnown = given.every((property) => entity.findColumnWithPropertyName(property));
  const isSameJson = properties.every((property) => {
    const found = entity.findColumnWithPropertyName(property);
    return found !== undefined && !found.isNullable && SAME_JSON.includes(String(found.type));
  });
  return isPlain && isKnown && isSameJson;
}

function insertStatement(
  entity: EntityMetadata,
  given: readonly string[],
  { name, version }: EventType<object>,
  properties: readonly string[],
): Statement {
  const columns = given.map((property) => column(entity, property)).join(', ');
  const values = given.map((_, i) => `$${i + 1}`).join(', ');
  const data = properties.map((property) => `'${property}', "${property}"`).join(', ');
  const text = `
    WITH inserted AS (
      INSERT INTO "${entity.tableName}" (${columns}) VALUES (${values}) RETURNING ${allColumns(entity)}
    ), event AS (
      INSERT INTO event_outbox (type, version, occurred_at, data)
      SELECT '${name}', ${version}, $${given.length + 1}, json_build_object(${data}) FROM inserted
    )
    SELECT * FROM inserted`;
  return { name: `insert ${hash('sha256', text).slice(0, 32)}`, text }; // PostgreSQL takes names of 63 characters
}
