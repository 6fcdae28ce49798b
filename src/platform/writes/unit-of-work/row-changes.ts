import { isDeepStrictEqual } from 'node:util';
import type { EntityMetadata, ObjectLiteral } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';

/**
 * What an update has to write: all but `undefined`, and the scalars and dates that the row has. Another
 * object may have been changed in place.
 */
export function valuesToWrite<Row extends object>(
  row: Row,
  values: { readonly [Name in keyof Row]?: Row[Name] | undefined },
): Partial<Row> {
  const written: Partial<Row> = {};
  for (const name of Object.keys(values) as (keyof Row)[]) {
    const value = values[name];
    if (value !== undefined && !isSameValue(row[name], value)) written[name] = value;
  }
  return written;
}

/**
 * Whether a row has come back as it was, but for its update date and version. Relations are compared by their
 * keys. A value that was given counts as changed if the row does not show it: that of a hidden column, or of
 * a relation that is not loaded.
 * @param given the values that were written
 */
export function isUnchanged(
  { columns }: EntityMetadata,
  before: ObjectLiteral,
  after: ObjectLiteral,
  given: ObjectLiteral,
): boolean {
  const isShown = (name: string) =>
    columns.some((column) => isOf(column, name) && column.getEntityValue(after) !== undefined);
  const isAsBefore = (column: ColumnMetadata) => {
    if (column.isUpdateDate || column.isVersion) return true;
    const [was, is] = [column.getEntityValue(before), column.getEntityValue(after)] as [unknown, unknown];
    const names = Object.keys(given).filter((name) => isOf(column, name));
    // Two reads of a row do not load the same relations and hidden columns.
    if (names.length === 0 && (is === undefined || (was === undefined && column.relationMetadata)))
      return true;
    // An object of the row itself no longer shows what it was.
    const mayBeChangedInPlace = names.some((name) => isObject(given[name]) && given[name] === before[name]);
    return isDeepStrictEqual(was, is) && !mayBeChangedInPlace;
  };
  return Object.keys(given).every(isShown) && columns.every(isAsBefore);
}

/**
 * Whether a member of the entity has the column's value, or is the embedded object or the relation with it.
 */
const isOf = ({ propertyPath, relationMetadata }: ColumnMetadata, member: string): boolean =>
  propertyPath.split('.', 1)[0] === member || relationMetadata?.propertyName === member;

const isSameValue = (one: unknown, other: unknown): boolean =>
  Object.is(one, other) ? !isObject(other) || other instanceof Date : areEqualDates(one, other);

const areEqualDates = (one: unknown, other: unknown): boolean =>
  one instanceof Date && other instanceof Date && one.getTime() === other.getTime();

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
