import type { EntityManager } from 'typeorm';
import { OUTBOX } from '../../data/statements/entity-statements.js';
import { queryPrepared } from '../../data/statements/run-named.js';
import { writeJson } from '../../kernel/json/write-json.js';
import { assertDeclared, type EventType } from './event-type.js';

/** Writes an event in the transaction of `manager`. */
export async function writeToOutbox(
  manager: EntityManager,
  { name, version }: Pick<EventType<never>, 'name' | 'version'>,
  occurredAt: Date,
  data: object,
): Promise<void> {
  assertDeclared(name);
  await queryPrepared(manager, `${OUTBOX} VALUES ($1, $2, $3, $4)`, [
    name,
    version,
    occurredAt,
    writeJson(data),
  ]);
}

/** Writes events of one type in the transaction of `manager`, in this order. */
export async function writeAllToOutbox(
  manager: EntityManager,
  { name, version }: Pick<EventType<never>, 'name' | 'version'>,
  occurredAt: Date,
  data: readonly object[],
): Promise<void> {
  await queryPrepared(
    manager,
    `${OUTBOX} SELECT $1, $2, $3, item FROM json_array_elements($4::json) WITH ORDINALITY AS given (item, n) ORDER BY n`,
    [name, version, occurredAt, writeJson(data)],
  );
}
