import type { EntityMetadata, ObjectLiteral } from 'typeorm';
import type { FollowUp } from '../database/pipeline/plain-table.js';
import type { EventType } from './event-type.js';

/** Types whose values PostgreSQL and `JSON.stringify` write as the same JSON. */
const SAME_JSON = ['bigint', 'integer', 'smallint', 'text', 'boolean'];

/**
 * Writes the event of a row in the statement that inserts the row, which goes to PostgreSQL together with those of other
 * requests: 8 µs more than the row alone, where a transaction of several statements costs 250 (docs/performance.md).
 * @param properties of the row, which make the event's data
 * @returns undefined for data that the statement would write in another way
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
        SELECT '${name}', ${version}, ${value(0)}, json_build_object(${data}) FROM inserted`;
    },
    values: [occurredAt],
  };
}

/** A column that is null is left out of a DTO. */
function isSameJson(entity: EntityMetadata, property: string): boolean {
  const column = entity.findColumnWithPropertyName(property);
  return column !== undefined && !column.isNullable && SAME_JSON.includes(String(column.type));
}
