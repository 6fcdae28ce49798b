import type { EntityManager, EntityMetadata, ObjectLiteral } from 'typeorm';
import { runningTransaction } from '../database/transactions/ambient-transaction.js';
import { writeJson } from '../kernel/json/write-json.js';
import type { EventType } from './event-type.js';
import type { FollowUp } from '../database/pipeline/table-statements.js';

const INSERT = 'INSERT INTO event_outbox (type, version, occurred_at, data) VALUES ($1, $2, $3, $4)';

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
  expectTransaction(manager, name);
  await manager.query(INSERT, [name, version, occurredAt, writeJson(data)]);
}

/** @throws Error outside a transaction, where the change could be committed without its event */
export function expectTransaction(manager: EntityManager, name: string): void {
  if (manager.queryRunner?.isTransactionActive ?? runningTransaction(manager.dataSource)) return;
  throw new Error(`The event ${name} is recorded outside a transaction`);
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
  return followUp(`with ${name} ${properties.join()}`, { name, version }, [occurredAt], (column) => {
    const data = properties.map((property) => `'${property}', ${column(property)}`);
    return `json_build_object(${data.join(', ')})`;
  });
}

/** The event for the statement that updates a row. */
export function updatedEvent<Data extends object>(
  { name, version }: EventType<Data>,
  occurredAt: Date,
  data: Data,
): FollowUp {
  return followUp(`with ${name}`, { name, version }, [occurredAt, writeJson(data)], (_, value) => value(1));
}

/** @param data SQL of the event's data */
function followUp(
  id: string,
  { name, version }: Pick<EventType<object>, 'name' | 'version'>,
  values: readonly [occurredAt: Date, ...data: unknown[]],
  data: FollowUp['sql'],
): FollowUp {
  return {
    name: id,
    sql: (column, value) => `INSERT INTO event_outbox (type, version, occurred_at, data)
      SELECT '${name}', ${version}, ${value(0)}, ${data(column, value)} FROM written`,
    values,
  };
}

/** A DTO omits null columns. */
function isSameJson(entity: EntityMetadata, property: string): boolean {
  const column = entity.findColumnWithPropertyName(property);
  return column !== undefined && !column.isNullable && SAME_JSON.includes(String(column.type));
}
