import { isDeepStrictEqual } from 'node:util';
import {
  type EntityMetadata,
  EntityPropertyNotFoundError,
  type FindOptionsRelations,
  type ObjectLiteral,
} from 'typeorm';
import type { EmbeddedMetadata } from 'typeorm/metadata/EmbeddedMetadata.js';

/**
 * Whether a row has come back as it was, but for its update date and version. Relations are compared by their
 * keys. A value that was given counts as changed if the row does not show it: that of a hidden column, or of
 * a relation that is not loaded.
 * @param before as read before the write
 * @param after as read afterwards, with the same relations
 * @param given the values that were written
 */
export const isUnchanged = (
  { columns }: EntityMetadata,
  before: ObjectLiteral,
  after: ObjectLiteral,
  given: ObjectLiteral,
): boolean =>
  columns.every((column) => {
    if (column.isUpdateDate || column.isVersion) return true;
    const is: unknown = column.getEntityValue(after);
    return is === undefined
      ? column.getEntityValue(given) === undefined
      : isDeepStrictEqual(column.getEntityValue(before), is);
  });

/** The relations with a key in the row's own table that the caller has loaded. */
export const loadedRelations = <Row extends object>(
  { relations }: EntityMetadata,
  row: Row,
): FindOptionsRelations<Row> =>
  Object.fromEntries(
    relations
      .filter(({ isManyToOne, isOneToOneOwner }) => isManyToOne || isOneToOneOwner)
      .filter(
        (relation) =>
          relation.propertyName === relation.propertyPath && relation.getEntityValue(row) !== undefined,
      )
      .map(({ propertyName }) => [propertyName, true]),
  ) as FindOptionsRelations<Row>;

/**
 * @param values of an update; absent for a removal
 * @throws TypeError if the write would leave out methods of the entity: it has no entity to call them on
 */
export function assertNoListeners(metadata: EntityMetadata, values?: object): void {
  const deleteDate = metadata.deleteDateColumn?.propertyName;
  const kinds = values ? ['update'] : ['remove'];
  if (values && deleteDate !== undefined && deleteDate in values) kinds.push('soft-remove', 'recover');
  const left = metadata.listeners.find(({ type }) => kinds.includes(type.replace(/^(before|after)-/, '')));
  if (!left) return;
  const decorator = left.type.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  throw new TypeError(
    `Changes.${values ? 'update' : 'delete'} does not run @${decorator}() ${metadata.name}.${left.propertyName}: write what it does in the call, or in a trigger of the table.`,
  );
}

/**
 * TypeORM's `update()` refuses a value that the entity has no property for, its `create()` leaves it out.
 * Instances of the entity, and of what is embedded in it, may have others.
 * @throws EntityPropertyNotFoundError
 */
export function assertProperties(metadata: EntityMetadata, values: object): void {
  if (isInstance(values, metadata.target)) return;
  const unknown = unknownIn(metadata.propertiesMap, metadata.embeddeds, values);
  if (unknown !== undefined) throw new EntityPropertyNotFoundError(unknown, metadata);
  for (const relation of metadata.relations)
    if (relation.isCascadeInsert)
      for (const part of [relation.getEntityValue(values) as unknown].flat())
        if (isObject(part)) assertProperties(relation.inverseEntityMetadata, part);
}

/** @param known the properties; those of what is embedded are in an object */
function unknownIn(
  known: ObjectLiteral,
  embeddeds: readonly EmbeddedMetadata[],
  values: object,
): string | undefined {
  for (const [name, value] of Object.entries(values) as [string, unknown][]) {
    if (value === undefined) continue;
    if (!Object.hasOwn(known, name)) return name;
    const embedded = embeddeds.find(({ propertyName }) => propertyName === name);
    if (!embedded || !isObject(value) || isInstance(value, embedded.type)) continue;
    const unknown = unknownIn(known[name] as ObjectLiteral, embedded.embeddeds, value);
    if (unknown !== undefined) return `${name}.${unknown}`;
  }
  return undefined;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isInstance = (value: object, type: unknown): boolean =>
  typeof type === 'function' && value instanceof type;
