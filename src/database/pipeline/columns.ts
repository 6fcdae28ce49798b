import type { EntityMetadata } from 'typeorm';

/** A column's name in SQL, from the property of the entity. */
export function column(entity: EntityMetadata, property: string): string {
  return `"${entity.findColumnWithPropertyName(property)?.databaseName ?? property}"`;
}

/** Every column, under the name of its property: rows come as entities. */
export function allColumns(entity: EntityMetadata): string {
  return entity.columns
    .map(({ propertyName }) => `${column(entity, propertyName)} AS "${propertyName}"`)
    .join(', ');
}
