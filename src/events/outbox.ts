import type { EntityManager } from 'typeorm';
import { runningTransaction } from '../database/transactions/ambient-transaction.js';
import { writeJson } from '../kernel/json/write-json.js';
import type { EventType } from './event-type.js';

/**
 * Writes an event into the transaction of `manager`: it exists if and only if that commits.
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
