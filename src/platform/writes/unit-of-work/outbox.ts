import type { EntityManager } from 'typeorm';
import { OUTBOX } from '../../data/statements/entity-statements.js';
import { queryPrepared, runNamed } from '../../data/statements/run-named.js';
import { writeJson } from '../../kernel/json/write-json.js';
import { assertDeclared, type EventType } from './event-type.js';

/**
 * Writes events of one type in the transaction of `manager`, in this order.
 * @param data at most a few thousand: each is a parameter
 */
export async function writeToOutbox(
  manager: EntityManager,
  type: Pick<EventType<never>, 'name' | 'version'>,
  occurredAt: Date,
  data: readonly object[],
): Promise<void> {
  assertDeclared(type);
  const text = `${OUTBOX} VALUES ${data.map((_, i) => `($1, $2, $3, $${i + 4})`).join()}`;
  const values = [type.name, type.version, occurredAt, ...data.map((one) => writeJson(one))];
  if (data.length === 1) await queryPrepared(manager, text, values);
  else await runNamed(manager, { query: { text }, values }); // no plan for each number of events
}
