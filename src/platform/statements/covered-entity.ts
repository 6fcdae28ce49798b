import type { EntityMetadata } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';

const TEXTS: readonly unknown[] = [String, 'text', 'varchar', 'character varying'];
const INTEGERS: readonly unknown[] = ['smallint', 'int2', 'integer', 'int', 'int4', 'bigint', 'int8'];
const MOMENTS: readonly unknown[] = ['timestamptz', 'timestamp with time zone'];

/** Column types whose values TypeORM does not convert. */
const PASSED_THROUGH: ReadonlySet<unknown> = new Set([
  ...[...TEXTS, ...INTEGERS, 'uuid', 'boolean', 'bool', 'numeric', 'decimal'],
  ...['real', 'float4', 'double precision', 'float8', 'float'],
]);
/** Column types that TypeORM's driver converts. */
const CONVERTED: ReadonlySet<unknown> = new Set([Number, Boolean, 'date', ...MOMENTS]);

export const isPassedThrough = ({ type }: ColumnMetadata): boolean => PASSED_THROUGH.has(type);

/** Whether PostgreSQL returns the value as it was given. Not so: other number formats, small bigints, blanks at the end, halves of surrogate pairs, microseconds. */
export function isVerbatim({ type, length, precision }: ColumnMetadata, value: unknown): boolean {
  if (TEXTS.includes(type)) return typeof value === 'string' && length === '' && value.isWellFormed();
  if (INTEGERS.includes(type)) return isAsParsed(value);
  if (MOMENTS.includes(type)) return value instanceof Date && precision == null;
  return (type === 'boolean' || type === 'bool') && typeof value === 'boolean';
}

/** Whether it is what `int64FromDatabase` makes of it: a bigint only where a number is not exact, and no -0. */
const isAsParsed = (value: unknown): boolean =>
  typeof value === 'bigint'
    ? !Number.isSafeInteger(Number(value))
    : Number.isSafeInteger(value) && !Object.is(value, -0);

/** Whether an entity is a table with simple columns and one primary key that uses no other features of TypeORM. */
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
    entity.primaryColumns.length === 1 &&
    entity.columns.every(isCoveredColumn)
  );
}

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
