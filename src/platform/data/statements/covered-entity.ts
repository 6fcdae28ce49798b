import type { EntityMetadata } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';

const TEXTS: readonly unknown[] = [String, 'text', 'varchar', 'character varying'];
const INTEGERS: readonly unknown[] = ['smallint', 'int2', 'integer', 'int', 'int4', 'bigint', 'int8'];

/** Column types whose values TypeORM does not convert. */
const PASSED_THROUGH: ReadonlySet<unknown> = new Set([
  ...[...TEXTS, ...INTEGERS, 'uuid', 'boolean', 'bool', 'numeric', 'decimal'],
  ...['real', 'float4', 'double precision', 'float8', 'float'],
]);
/** Column types that TypeORM's driver converts. */
const CONVERTED: ReadonlySet<unknown> = new Set([
  ...[Number, Boolean, 'date', 'timestamptz', 'timestamp with time zone'],
]);
const SAME_JSON: ReadonlySet<unknown> = new Set([
  ...[...TEXTS, ...INTEGERS, Number, 'uuid', 'boolean', 'bool', Boolean],
]);

export const isPassedThrough = ({ type }: ColumnMetadata): boolean => PASSED_THROUGH.has(type);

/**
 * Whether PostgreSQL writes the values of the column as the same JSON as JavaScript: texts, integers, uuid,
 * boolean.
 */
export const isSameJson = ({ type }: ColumnMetadata): boolean => SAME_JSON.has(type);

/**
 * Whether an entity is a table with simple columns and one primary key that uses no other features of
 * TypeORM.
 */
export function isCovered(entity: EntityMetadata): boolean {
  return (
    typeof entity.target === 'function' &&
    entity.isAlwaysUsingConstructor &&
    entity.dataSource.options.typename === undefined &&
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
    !entity.foreignKeys.some(({ onUpdate }) => mayWriteAgain(onUpdate)) &&
    entity.primaryColumns.length === 1 &&
    entity.columns.length <= MOST_COLUMNS &&
    entity.columns.every(isCoveredColumn)
  );
}

/** An update returns each twice, of at most 1,664. */
const MOST_COLUMNS = 800;

/**
 * A cascade that comes back to the row writes it after `RETURNING` has shown it: such a row is read
 * afterwards.
 */
const mayWriteAgain = (onUpdate = 'NO ACTION'): boolean =>
  onUpdate !== 'NO ACTION' && onUpdate !== 'RESTRICT';

function isCoveredColumn(column: ColumnMetadata): boolean {
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
