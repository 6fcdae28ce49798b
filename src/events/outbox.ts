import type { EntityManager } from 'typeorm';
import type { FollowUp } from '../database/pipeline/plain-table.js';
import { isInTransaction } from '../database/pool/shared-transaction.js';
import type { Int64 } from '../kernel/json/int64.js';
import { writeJson } from '../kernel/json/write-json.js';
import type { EventType } from './event-type.js';

const INSERT = 'INSERT INTO event_outbox (type, version, occurred_at, data)';

/** Writes an event in the transaction of `manager`. */
export async function writeToOutbox(
  manager: EntityManager,
  { name, version }: Pick<EventType<never>, 'name' | 'version'>,
  occurredAt: Date,
  data: object,
): Promise<void> {
  await manager.query(`${INSERT} VALUES ($1, $2, $3, $4)`, [name, version, occurredAt, writeJson(data)]);
}

/** @throws Error outside a transaction */
export function expectTransaction(manager: EntityManager, name: string): void {
  if (manager.queryRunner?.isTransactionActive ?? isInTransaction(manager.dataSource)) return;
  throw new Error(`The event ${name} is recorded outside a transaction`);
}

/** Adds a row's event to the statement that changes the row. */
export function eventOf(
  { name, version }: Pick<EventType<never>, 'name' | 'version'>,
  data: object,
  occurredAt: Date,
): FollowUp {
  return {
    sql: (value) => `${INSERT} SELECT ${value(0)}, ${value(1)}, ${value(2)}, ${value(3)} FROM written`,
    values: [name, String(version), occurredAt.toISOString(), writeJson(data)],
  };
}

/** Stands in for an id that PostgreSQL assigns later. It can be copied; any other use throws. */
const LATER = {
  [Symbol.toPrimitive]: (): never => {
    throw new TypeError('The row has no id yet');
  },
};

/**
 * Adds a row's event to the statement that inserts the row: 8 µs instead of 250 µs for a transaction.
 * PostgreSQL prepends the `id` to the other properties.
 * @returns undefined if the data uses the `id` other than as its first property
 */
export function insertedEvent<Row extends { id: Int64 }>(
  { name, version, data: Data }: EventType<Row>,
  row: Row,
  occurredAt: Date,
): FollowUp | undefined {
  // The row does not have an id yet. Its other properties are those that `save` would return.
  const withId = { ...row, id: LATER } as unknown as Row;
  let data: object;
  try {
    data = Data.from(withId, withId);
  } catch {
    return undefined;
  }
  const [[first, id] = [], ...others] = Object.entries(data) as [string, unknown][];
  if (first !== 'id' || id !== LATER || others.some(([, value]) => value === LATER)) return undefined;
  const rest = writeJson(Object.fromEntries(others)).slice(1);
  return {
    sql: (value) =>
      `${INSERT} SELECT ${value(0)}, ${value(1)}, ${value(2)}, ('{"id":' || id || ${value(3)})::json FROM written`,
    values: [name, String(version), occurredAt.toISOString(), rest === '}' ? rest : `,${rest}`],
  };
}
