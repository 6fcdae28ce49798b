import {
  type DataSource,
  type EntityManager,
  type EntityMetadata,
  type FindManyOptions,
  FindOperator,
  type FindOptionsWhere,
  type ObjectLiteral,
  TableColumn,
} from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { TableUtils } from 'typeorm/schema-builder/util/TableUtils.js';
import { isDistinct } from './changed-columns.js';
import { isCovered, isPassedThrough, isVerbatim } from './covered-entity.js';
import type { Int64 } from '../json/int64.js';
import { named, type NamedStatement, type PreparedQuery, runNamed } from './run-named.js';

/** Rows in the order of a property and then of `id`. */
export interface KeyOptions<E> {
  readonly where: FindOptionsWhere<E> | FindOptionsWhere<E>[];
  readonly by: keyof E & string;
  readonly direction: 'ASC' | 'DESC';
  /** The row that they follow. */
  readonly after: { readonly id: Int64; readonly key: string } | undefined;
  readonly take: number;
}

/** An `INSERT … SELECT … FROM written` that runs in the statement that inserts or updates the row `written`. */
export interface Companion {
  /**
   * @param placeholder of the item `i` of `values`
   * @param id the column of `id`
   */
  readonly sql: (placeholder: (i: number) => string, id: string) => string;
  readonly values: readonly unknown[];
}

/**
 * Prepared statements for a table with simple columns, made once from the entity's metadata. TypeORM takes 153 to 282 µs of
 * CPU to build and hydrate a page of 20 rows; with these a page takes 61 to 71.
 */
export class EntityStatements<Entity extends ObjectLiteral> {
  private static readonly cached = new WeakMap<EntityMetadata, EntityStatements<ObjectLiteral> | null>();

  /** The statements of an entity; undefined if it uses features of TypeORM that they do not have, or if the data source has a logger or a subscriber. */
  static of<Entity extends ObjectLiteral>(
    dataSource: DataSource,
    target: FindTarget<Entity>,
  ): EntityStatements<Entity> | undefined {
    const { logging, logger, maxQueryExecutionTime } = dataSource.options;
    if (logging || logger || maxQueryExecutionTime || dataSource.subscribers.length > 0) return undefined;
    const metadata = dataSource.getMetadata(target);
    let statements = this.cached.get(metadata);
    if (statements === undefined) {
      statements = isCovered(metadata) ? new EntityStatements(metadata) : null;
      this.cached.set(metadata, statements);
    }
    return (statements ?? undefined) as EntityStatements<Entity> | undefined;
  }

  private readonly columns: readonly Column[];
  private readonly byProperty: ReadonlyMap<string, Column>;
  private readonly names: string;
  private readonly table: string;
  private readonly target: new () => Entity;
  /** Columns that PostgreSQL may set. */
  private readonly defaults: ReadonlySet<ColumnMetadata>;
  /** See `isLeftAlone()`. */
  private leftAlone?: boolean;
  /** By what differs in their text. */
  private readonly texts = new Map<string, PreparedQuery>();

  private constructor(private readonly metadata: EntityMetadata) {
    const { driver } = metadata.dataSource;
    this.columns = metadata.columns.map((column) => new Column(column));
    this.byProperty = new Map(this.columns.map((column) => [column.property, column]));
    this.target = metadata.target as new () => Entity; // isCovered() sees that it is a class
    this.names = this.columns.map(({ name }) => name).join(', ');
    this.table = metadata.tablePath
      .split('.')
      .map((part) => driver.escape(part))
      .join('.');
    this.defaults = new Set(metadata.getInsertionReturningColumns());
  }

  /** The statement of `find` with these options; undefined if it has more than `=`, `<`, `>`, `IN`, an order, a limit and a lock. */
  select({
    where = {},
    order = {},
    take,
    lock,
    ...others
  }: FindManyOptions<Entity>): NamedStatement | undefined {
    if (Object.keys(others).length > 0 || Array.isArray(where)) return undefined;
    if (lock !== undefined && (LOCKS[lock.mode] === undefined || Object.keys(lock).length > 1))
      return undefined;
    const values: unknown[] = [];
    const conditions = this.conditions(where, values);
    if (!conditions) return undefined;
    const sorting: string[] = [];
    for (const [property, direction] of Object.entries(order)) {
      const column = this.byProperty.get(property);
      if (!column || (direction !== 'ASC' && direction !== 'DESC')) return undefined;
      sorting.push(`${column.name} ${direction}`);
    }
    let tail = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
    if (sorting.length > 0) tail += ` ORDER BY ${sorting.join()}`;
    if (take !== undefined) tail += ` LIMIT $${values.push(take)}`;
    if (lock !== undefined) tail += LOCKS[lock.mode] ?? '';
    return this.statement(tail, values, () => `SELECT ${this.names} FROM ${this.table}${tail}`);
  }

  /** The statement of rows in the order of a property and then of `id`, with the text of the property behind the columns. */
  selectByKey({ where, by, direction, after, take }: KeyOptions<Entity>): NamedStatement | undefined {
    const values: unknown[] = [];
    const conditions = Array.isArray(where) ? undefined : this.conditions(where, values);
    const [key, id] = [this.byProperty.get(by)?.name, this.byProperty.get('id')?.name];
    if (!conditions || key === undefined || id === undefined) return undefined;
    if (after)
      conditions.push(
        `(${key}, ${id}) ${direction === 'ASC' ? '>' : '<'} ($${values.push(after.key)}, $${values.push(after.id)})`,
      );
    const filter = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
    const tail = `${filter} ORDER BY ${key} ${direction}, ${id} ${direction} LIMIT $${values.push(take)}`;
    return this.statement(
      `by ${by}${tail}`,
      values,
      () => `SELECT ${this.names}, ${key}::text AS "the key" FROM ${this.table}${tail}`,
    );
  }

  /** @returns the conditions of a simple filter, whose values it adds; otherwise undefined */
  private conditions(where: object, values: unknown[]): string[] | undefined {
    const conditions: string[] = [];
    for (const [property, given] of Object.entries(where) as [string, unknown][])
      if (this.byProperty.get(property)?.addConditions(given, conditions, values) !== true) return undefined;
    return conditions;
  }

  /** Whether PostgreSQL stores the row as it is given: every column but a generated `id` has a value that no conversion changes. */
  isStoredVerbatim(row: Entity): boolean {
    return this.columns.every(({ property, metadata }) => {
      if (property === 'id') return metadata.isGenerated && row[property] === undefined;
      const value: unknown = row[property];
      if (value === undefined || value === null) return metadata.isNullable && !this.defaults.has(metadata);
      return isVerbatim(metadata, value);
    });
  }

  /**
   * Whether PostgreSQL leaves a written row as it is: its table has no trigger, no rule, and no type or default that the class does
   * not have. Looked up at first, so that a trigger which is added while the service runs counts from its next start.
   */
  isLeftAlone(manager: EntityManager): boolean | Promise<boolean> {
    return this.leftAlone ?? this.lookUp(manager); // each for itself: another's transaction may have failed
  }

  private async lookUp(manager: EntityManager): Promise<boolean> {
    const { driver } = this.metadata.dataSource;
    const names = this.columns.map(({ metadata }) => metadata.databaseName);
    const types = this.columns.map(({ metadata }) => {
      const options = TableUtils.createTableColumnOptions(metadata, driver);
      return driver.createFullType(new TableColumn(options)).toLowerCase();
    });
    const mayBeSet = this.columns.map(({ metadata }) => this.defaults.has(metadata));
    const [found] = await manager.query<{ leftAlone: boolean }[]>(LEFT_ALONE, [
      this.table,
      names,
      types,
      mayBeSet,
    ]);
    return (this.leftAlone = found?.leftAlone === true);
  }

  /** The row with null where it has no value, as PostgreSQL stores one that is stored verbatim. */
  withNulls(row: Entity): Entity {
    const values: ObjectLiteral = row;
    for (const { property } of this.columns) if (property !== 'id') values[property] ??= null;
    return row;
  }

  /** Inserts a row that is stored verbatim, together with a second statement. Returns the row. */
  insert(row: Entity, { sql, values }: Companion): NamedStatement {
    const columns = this.columns.filter(({ property }) => property !== 'id');
    const parameters = columns.map((column) => column.toParameter(row[column.property]));
    return this.statement('insert', [...parameters, ...values], () => {
      const placeholders = columns.map((_, i) => `$${i + 1}`);
      const companion = sql((i) => `$${columns.length + i + 1}`, this.byProperty.get('id')?.name ?? 'id');
      return (
        `WITH written AS (INSERT INTO ${this.table} (${columns.map(({ name }) => name).join(', ')}) ` +
        `VALUES (${placeholders.join()}) RETURNING ${this.names}), companion AS (${companion}) SELECT ${this.names} FROM written`
      );
    });
  }

  /** A row with changes, as PostgreSQL stores and returns it; undefined if a column is not known, or stored in another form. */
  changed(row: Entity, changes: Partial<Entity>): Entity | undefined {
    const changed = new this.target() as ObjectLiteral;
    for (const { property, metadata } of this.columns) {
      const value: unknown = (property in changes ? changes : row)[property];
      if (value !== null && !isVerbatim(metadata, value)) return undefined;
      changed[property] = value;
    }
    return changed as Entity;
  }

  /**
   * Updates the row with this primary key. Returns the row if that changes it; undefined if TypeORM changes more columns than these, or
   * if a value is an SQL expression.
   * @param expected the row afterwards, and what to write if it is this one
   */
  update(
    where: object,
    changes: Partial<Entity>,
    expected?: { readonly row: Entity; readonly companion: Companion },
  ): NamedStatement | undefined {
    const [property = ''] = Object.keys(where); // isCovered() sees that it is one column
    const id: unknown = (where as ObjectLiteral)[property];
    const key = this.byProperty.get(property);
    if (!key || property in changes || this.metadata.updateDateColumn) return undefined;
    const isPlain = ([property, value]: [string, unknown]) =>
      this.byProperty.get(property)?.metadata.isUpdate === true && typeof value !== 'function';
    if (!Object.entries(changes).every(isPlain)) return undefined;
    // In the order of the table: that of a client's members would make a statement for each order.
    const columns = this.columns.filter(({ property }) => property in changes);
    const set = columns.map((column) => column.toParameter((changes as ObjectLiteral)[column.property]));
    const others = expected
      ? this.columns.filter((column) => column !== key && !columns.includes(column))
      : [];
    const kept = others.map((column) => column.toParameter(expected?.row[column.property]));
    const values = [...set, id, ...kept, ...(expected?.companion.values ?? [])];
    const what = `${expected ? 'write' : 'update'} ${columns.map(({ property }) => property).join()}`;
    return this.statement(what, values, () => {
      const sets = columns.map(({ name }, i) => `${name} = $${i + 1}`).join();
      const known = [...columns, key, ...others].map(({ metadata }, i) => isDistinct(metadata, `$${i + 1}`));
      const update =
        `UPDATE ${this.table} SET ${sets} WHERE ${key.name} = $${columns.length + 1} ` +
        `AND (${known.slice(0, columns.length).join(' OR ')}) RETURNING ${this.names}`;
      if (!expected) return update;
      const companion = expected.companion.sql((i) => `$${this.columns.length + i + 1}`, key.name);
      return (
        `WITH written AS (${update}), companion AS (${companion} WHERE NOT (${known.join(' OR ')}) RETURNING 1) ` +
        `SELECT ${this.names}, EXISTS (SELECT FROM companion) FROM written`
      );
    });
  }

  /** Runs a statement in the transaction of the manager, or on a connection of its own. @throws QueryFailedError */
  async run(manager: EntityManager, statement: NamedStatement): Promise<Entity[]> {
    const rows = (await runNamed(manager, statement)) as unknown[][];
    const entities: Entity[] = [];
    for (const fields of rows) entities.push(this.toEntity(fields));
    return entities;
  }

  /** The same for a statement of {@link selectByKey}. */
  async runByKey(
    manager: EntityManager,
    statement: NamedStatement,
  ): Promise<{ id: Int64; key: string; entity: Entity }[]> {
    const rows = (await runNamed(manager, statement)) as unknown[][];
    return rows.map((fields) => {
      const entity = this.toEntity(fields);
      return { id: entity.id as Int64, key: fields[this.columns.length] as string, entity };
    });
  }

  /** The same for a statement of {@link update}: the row that it has changed, and whether its companion has run. */
  async runUpdate(
    manager: EntityManager,
    statement: NamedStatement,
  ): Promise<{ row: Entity; isAccompanied: boolean } | undefined> {
    const [fields] = (await runNamed(manager, statement)) as unknown[][];
    return fields && { row: this.toEntity(fields), isAccompanied: fields[this.columns.length] === true };
  }

  private toEntity(fields: readonly unknown[]): Entity {
    const { columns, target: Target } = this;
    const row = new Target() as ObjectLiteral;
    let i = 0;
    for (const column of columns) {
      const value = fields[i++] ?? null;
      row[column.property] = value === null || !column.isConverted ? value : column.convert(value);
    }
    return row as Entity;
  }

  private statement(key: string, values: readonly unknown[], sql: () => string): NamedStatement {
    let query = this.texts.get(key);
    if (query === undefined) {
      const text = sql();
      if (this.texts.size >= MAX_NAMED) return { query: { text, rowMode: 'array' }, values };
      query = named(text, 'array');
      this.texts.set(key, query);
    }
    return { query, values };
  }
}

/** Of the table `$1`, whose columns `$2` have in the class the types `$3` and, if `$4`, a default. The name of a domain is a type of its own. */
const LEFT_ALONE = `
  SELECT relkind IN ('r', 'p') AND NOT relhasrules AND NOT EXISTS (
    SELECT FROM pg_trigger
    WHERE (tgrelid = pg_class.oid OR tgrelid IN (SELECT relid FROM pg_partition_tree(pg_class.oid)))
      AND NOT tgisinternal AND tgenabled <> 'D' AND tgtype & (4 | 16) <> 0 -- INSERT or UPDATE
  ) AND NOT EXISTS (
    SELECT FROM unnest($2::text[], $3::text[], $4::boolean[]) AS own (name, type, may_be_set)
    JOIN pg_attribute ON attrelid = pg_class.oid AND attname = name
    WHERE format_type(atttypid, atttypmod) <> type OR NOT may_be_set AND (atthasdef OR attidentity <> '')
  ) AS "leftAlone"
  FROM pg_class WHERE oid = $1::regclass`;

/** Each connection keeps a plan for each name, and the members of a `PATCH` decide which columns an update has. */
const MAX_NAMED = 100;

type FindTarget<Entity extends ObjectLiteral> = Parameters<
  typeof EntityManager.prototype.getRepository<Entity>
>[0];

const LOCKS: Partial<Record<string, string>> = {
  pessimistic_write: ' FOR UPDATE',
  for_no_key_update: ' FOR NO KEY UPDATE',
};

const SIGNS: Partial<Record<string, string>> = { lessThan: '<', moreThan: '>' };

/** A column of a covered entity. */
class Column {
  readonly property: string;
  /** The escaped name for SQL. */
  readonly name: string;
  /** Whether TypeORM's driver converts its values. */
  readonly isConverted: boolean;

  constructor(readonly metadata: ColumnMetadata) {
    this.property = metadata.propertyName;
    this.name = this.driver.escape(metadata.databaseName);
    this.isConverted = !isPassedThrough(metadata);
  }

  toParameter(value: unknown): unknown {
    return this.isConverted ? (this.driver.preparePersistentValue(value, this.metadata) as unknown) : value;
  }

  convert(value: unknown): unknown {
    return this.driver.prepareHydratedValue(value, this.metadata) as unknown;
  }

  /** @returns whether the condition is a simple one */
  addConditions(given: unknown, conditions: string[], values: unknown[]): boolean {
    if (isSimple(given)) return conditions.push(`${this.name} = $${values.push(given)}`) > 0;
    if (!(given instanceof FindOperator)) return false;
    const { type, value } = given as FindOperator<unknown>;
    const items = Array.isArray(value) ? (value as unknown[]) : [];
    if (type === 'and') return items.every((item) => this.addConditions(item, conditions, values));
    if (type === 'equal' && isSimple(value)) return this.addConditions(value, conditions, values);
    const sign = SIGNS[type];
    if (sign !== undefined && isSimple(value))
      return conditions.push(`${this.name} ${sign} $${values.push(value)}`) > 0;
    if (type !== 'in' || items.length === 0 || !items.every(isSimple)) return false;
    return conditions.push(`${this.name} = ANY ($${values.push(items)})`) > 0;
  }

  private get driver() {
    return this.metadata.entityMetadata.dataSource.driver;
  }
}

/** Whether a value is a plain one, not null, an operator or an SQL expression. */
const isSimple = (value: unknown): boolean =>
  ['number', 'bigint', 'string', 'boolean'].includes(typeof value);
