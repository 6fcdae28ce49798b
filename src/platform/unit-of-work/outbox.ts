import type { EntityManager } from 'typeorm';
import type { InsertCompanion } from '../statements/entity-statements.js';
import { writeJson } from '../json/write-json.js';
import { type EventType, assertDeclared } from './event-type.js';

const INSERT = 'INSERT INTO event_outbox (type, version, occurred_at, data)';

/** Writes an event in the transaction of `manager`. */
export async function writeToOutbox(
  manager: EntityManager,
  { name, version }: Pick<EventType<never>, 'name' | 'version'>,
  occurredAt: Date,
  data: object,
): Promise<void> {
  assertDeclared(name);
  await manager.query(`${INSERT} VALUES ($1, $2, $3, $4)`, [name, version, occurredAt, writeJson(data)]);
}

/**
 * Writes the event of a row in the statement that inserts it. PostgreSQL puts the `id` before the other properties.
 * @param row without its `id`, which throws while `data` reads the row
 */
export function eventOfInsert<Row extends { id: unknown }>(
  { name, version, data: Data }: EventType<Row>,
  row: Row,
  occurredAt: Date,
): InsertCompanion {
  assertDeclared(name);
  Object.defineProperty(row, 'id', { configurable: true, get: refuse });
  const rest = writeJson({ ...Data.data(row, row) }).slice(1);
  return {
    sql: ($, id) =>
      `${INSERT} SELECT ${$(0)}, ${$(1)}, ${$(2)}, ('{"id":' || to_json(${id}) || ${$(3)})::json FROM written`,
    values: [name, version, occurredAt, rest === '}' ? rest : `,${rest}`],
  };
}

function refuse(): never {
  throw new TypeError('A row has no id before it is inserted: data() of an event type must not read it.');
}
