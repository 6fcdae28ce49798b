import type { EntityManager, EntityMetadata, ObjectLiteral } from 'typeorm';
import { runningTransaction } from '../database/transactions/ambient-transaction.js';
import { writeJson } from '../kernel/json/write-json.js';
import type { EventType } from './event-type.js';
import type { FollowUp } from '../database/pipeline/table-statements.js';

/**
 * Writes an event in the transaction of `manager`.
 * @throws Error outside a transaction, where the change could be committed without its event
 */
export async function writeToOutbox<Data extends object>(
  manager: EntityManager,
  { name, version }: EventType<Data>,
  occurredAt: Date,
  data: Data,
): Promise<void> {
  const isInTransaction = manager.queryRunner?.isTransactionActive ?? runningTransaction(manager.dataSource);
  if (!isInTransaction) throw new Error(`The event ${name} is recorded outside a transaction`);
  await manager.query('INSERT INTO event_outbox (type, version, occurred_at, data) VALUES ($1, $2, $3, $4)', [
    name,
    version,
    occurredAt,
    writeJson(data),
  ]);
}

/** Types that PostgreSQL and `JSON.stringify` write as the same JSON. */
const SAME_JSON = ['bigint', 'integer', 'smallint', 'text', 'boolean'];

/**
 * The event of a row for the statement that inserts the row: 8 µs instead of 250 for a transaction (docs/performance.md).
 * @param properties of the row, for the event's data
 * @returns undefined for data that PostgreSQL would write differently
 */
export function insertedEvent(
  entity: EntityMetadata,
  { name, version }: EventType<ObjectLiteral>,
  properties: readonly string[],
  occurredAt: Date,
): FollowUp | undefined {
  if (!properties.every((property) => isSameJson(entity, property))) return undefined;
  return {
    name: `with ${name} ${properties.join()}`,
    sql: (column, value) => {
      const data = properties.map((property) => `'${property}', ${column(property)}`).join(', ');
      return `INSERT INTO event_outbox (type, version, occurred_at, data)
        SELECT '${name}', ${version}, ${value(0)}, json_build_object(${data}) FROM written`;
    },
    values: [occurredAt],
  };
}

/** The event for the statement that updates a row. */
export function updatedEvent<Data extends object>(
  { name, version }: EventType<Data>,
  occurredAt: Date,
  data: Data,
): FollowUp {
  return {
    name: `with ${name}`,
    sql: (_, value) => `INSERT INTO event_outbox (type, version, occurred_at, data)
      SELECT '${name}', ${version}, ${value(0)}, ${value(1)} FROM written`,
    values: [occurredAt, writeJson(data)],
  };
}

/** A DTO omits null columns. */
function isSameJson(entity: EntityMetadata, property: string): boolean {
  const column = entity.findColumnWithPropertyName(property);
  return column !== undefined && !column.isNullable && SAME_JSON.includes(String(column.type));
}
