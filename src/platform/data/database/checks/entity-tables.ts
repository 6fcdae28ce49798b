import { DefaultNamingStrategy, getMetadataArgsStorage } from 'typeorm';

/** The tables of all entities, by name; views are none. */
export const entityTables = (): readonly string[] =>
  getMetadataArgsStorage()
    .tables.filter(({ type }) => type === 'regular')
    .flatMap(({ name, target }) =>
      typeof target === 'string' ? (name ?? []) : new DefaultNamingStrategy().tableName(target.name, name),
    );
