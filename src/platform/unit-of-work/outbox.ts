import type { EntityManager } from 'typeorm';
import type { Companion } from '../statements/entity-statements.js';
import { queryPrepared } from '../statements/query-prepared.js';
import { writeJson } from '../json/write-json.js';
import { type EventType, assertDeclared, eventData } from './event-type.js';

const INSERT = 'INSERT INTO event_outbox (type, version, occurred_at, data)';

/** Writes an event in the transaction of `manager`. */
export async function writeToOutbox(
  manager: EntityManager,
  { name, version }: Pick<EventType<never>, 'name' | 'version'>,
  occurredAt: Date,
  data: object,
): Promise<void> {
  assertDeclared(name);
  await queryPrepared(manager, `${INSERT} VALUES ($1, $2, $3, $4)`, [
    name,
    version,
    occurredAt,
    writeJson(data),
  ]);
}

/**
 * Writes the event of a row in the statement that inserts it. PostgreSQL puts the `id` before the other properties.
 * @param row without its `id`
 * @returns undefined if more than the `id` of the event depends on that of the row
 */
export function eventOfInsert<Row extends { id: unknown }>(
  type: EventType<Row>,
  row: Row,
  occurredAt: Date,
): Companion | undefined {
  assertDeclared(type.name);
  const properties = propertiesWithoutId(type, row);
  if (properties === undefined) return undefined;
  return {
    sql: ($, id) =>
      `${INSERT} SELECT ${$(0)}, ${$(1)}, ${$(2)}, ('{"id":' || to_json(${id}) || ${$(3)})::json FROM written`,
    values: [type.name, type.version, occurredAt, properties === '}' ? properties : `,${properties}`],
  };
}

/**
 * Writes the event of a row in the statement that updates it.
 * @param row as it will be
 * @returns undefined if its data cannot be made before
 */
export function eventOfUpdate<Row extends { id: unknown }>(
  type: EventType<Row>,
  row: Row,
  before: Row,
  occurredAt: Date,
): Companion | undefined {
  assertDeclared(type.name);
  try {
    const data = writeJson(eventData(type, row, before));
    return {
      sql: ($) => `${INSERT} SELECT ${$(0)}, ${$(1)}, ${$(2)}, ${$(3)} FROM written`,
      values: [type.name, type.version, occurredAt, data],
    };
  } catch {
    return undefined; // the error comes again if there is an event
  }
}

/** The text of an event's data after its `id`; undefined if it cannot be made without that. */
function propertiesWithoutId<Row extends { id: unknown }>(
  type: EventType<Row>,
  row: Row,
): string | undefined {
  try {
    const [one, other] = STAND_INS.map((standIn) => {
      row.id = standIn;
      const { id, ...properties } = eventData(type, row, row);
      return id === standIn ? writeJson(properties) : undefined;
    });
    return one === other ? one?.slice(1) : undefined;
  } catch {
    return undefined; // an error that is not because of the id comes again, with the id
  } finally {
    Reflect.deleteProperty(row, 'id'); // TypeORM would take it for a given one
  }
}

/** For the `id` that PostgreSQL will give to a row: what is the same with both does not depend on it. */
const STAND_INS: readonly unknown[] = [7_907, 2n ** 62n + 1n];
