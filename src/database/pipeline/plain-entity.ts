import type { EntityMetadata, EntitySubscriberInterface } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';

/** Column types whose values TypeORM does not convert. */
const PASSED_THROUGH: ReadonlySet<unknown> = new Set([
  ...[String, 'text', 'varchar', 'character varying', 'uuid'],
  ...['smallint', 'int2', 'integer', 'int', 'int4', 'bigint', 'int8'],
  ...['boolean', 'bool', 'numeric', 'decimal', 'real', 'float4', 'double precision', 'float8', 'float'],
]);

/** Column types that the driver converts. */
const CONVERTED: ReadonlySet<unknown> = new Set([
  ...[Number, Boolean, 'date', 'timestamptz', 'timestamp with time zone'],
]);

export const isPassedThrough = ({ type }: ColumnMetadata): boolean => PASSED_THROUGH.has(type);

/** Whether an entity is a table with simple columns and one primary key that uses no other features of TypeORM. */
export function isPlainEntity(entity: EntityMetadata): boolean {
  return (
    typeof entity.target === 'function' &&
    entity.tableType === 'regular' &&
    entity.orderBy === undefined &&
    entity.inheritancePattern === undefined &&
    entity.inheritanceTree.length === 1 &&
    entity.childEntityMetadatas.length === 0 &&
    entity.treeType === undefined &&
    entity.embeddeds.length === 0 &&
    entity.relations.length === 0 &&
    entity.relationIds.length === 0 &&
    entity.listeners.length === 0 &&
    entity.database === undefined &&
    entity.primaryColumns.length === 1 &&
    entity.columns.every(isPlainColumn)
  );
}

function isPlainColumn(column: ColumnMetadata): boolean {
  return (
    (PASSED_THROUGH.has(column.type) || CONVERTED.has(column.type)) &&
    column.isSelect &&
    column.isInsert &&
    !column.isArray &&
    !column.isVirtual &&
    !column.isVirtualProperty &&
    !column.isVersion &&
    !column.isDeleteDate &&
    column.transformer === undefined &&
    column.relationMetadata === undefined &&
    column.referencedColumn === undefined &&
    column.asExpression === undefined &&
    column.generatedType === undefined &&
    !/^\d+$/.test(column.databaseName) // JavaScript orders such properties before the others
  );
}

/** Events that a subscriber gets for every entity. */
const FOR_ALL = [
  ...(['beforeQuery', 'afterQuery'] as const),
  ...(['beforeTransactionStart', 'afterTransactionStart'] as const),
  ...(['beforeTransactionCommit', 'afterTransactionCommit'] as const),
  ...(['beforeTransactionRollback', 'afterTransactionRollback'] as const),
];

/** Whether a subscriber listens to statements of an entity. */
export function isSubscribed(subscriber: EntitySubscriberInterface, { target }: EntityMetadata): boolean {
  const listensTo = subscriber.listenTo?.();
  return (
    typeof listensTo !== 'function' ||
    listensTo === Object ||
    listensTo === target ||
    Object.prototype.isPrototypeOf.call(listensTo, target as object) ||
    FOR_ALL.some((event) => subscriber[event] !== undefined)
  );
}
