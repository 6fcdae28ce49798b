// statements/ reads and writes rows by prepared statements where an entity is simple, by TypeORM otherwise, and
// a new row together with its event. What an event is, is in `unit-of-work`.

import { escapeIdentifier } from 'pg';
import {
  type DataSource,
  type EntityManager,
  type EntityMetadata,
  type FindManyOptions,
  FindOperator,
  type FindOptionsWhere,
  type ObjectLiteral,
} from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { isCovered, isPassedThrough, isSameJson } from './covered-entity.js';
import type { Int64 } from '../../kernel/json/int64.js';
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

/** The event of a row, which PostgreSQL makes of what it has stored. */
export interface EventOfRow {
  readonly type: string;
  readonly version: number;
  readonly occurredAt: Date;
  /** Names of its data. The `id` comes first. */
  readonly members: readonly string[];
}

/** What an update has done. */
export interface Updated<Entity> {
  readonly before: Entity;
  readonly after: Entity;
  /** Whether PostgreSQL has stored anything else than before. */
  readonly isChanged: boolean;
}

/**
 * Prepared statements for a table with simple columns, made once from the entity's metadata. TypeORM takes
 * 153 to 282 µs of CPU to build and hydrate a page of 20 rows; with these a page takes 61 to 71.
 */
export class EntityStatements<Entity extends ObjectLiteral> {
  private static readonly cached = new WeakMap<EntityMetadata, EntityStatements<ObjectLiteral> | null>();

  /**
   * The statements of an entity; undefined if it uses features of TypeORM that they do not have, or if the
   * data source has a logger or a subscriber.
   */
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
  }

  /**
   * The statement of `find` with these options; undefined if it has more than `=`, `<`, `>`, `IN`, an order,
   * a limit and a lock.
   */
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

  /**
   * The statement of rows in the order of a property and then of `id`, with the text of the property behind
   * the columns.
   */
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

  /**
   * A module's own statement for rows, which selects the columns and behind them the text of what they are
   * ordered by.
   * @param sql gets the columns
   */
  selectBySql(sql: (columns: string) => string, values: readonly unknown[]): NamedStatement {
    const text = sql(this.names);
    return this.statement(text, values, () => text);
  }

  /** @returns the conditions of a simple filter, whose values it adds; otherwise undefined */
  private conditions(where: object, values: unknown[]): string[] | undefined {
    const conditions: string[] = [];
    for (const [property, given] of Object.entries(where) as [string, unknown][])
      if (this.byProperty.get(property)?.addConditions(given, conditions, values) !== true) return undefined;
    return conditions;
  }

  /**
   * Inserts rows with values of the same columns. Returns them as PostgreSQL has stored them, in their order,
   * which is that of their events, too.
   * @param rows at most as many as {@link rowsOfStatement}
   * @param event is written in the same statement; see {@link canMake}
   * @returns undefined if a value is an SQL expression
   */
  insert(rows: readonly Entity[], event?: EventOfRow): NamedStatement | undefined {
    const given = this.givenColumns(rows[0]);
    const parameters: unknown[] = [];
    for (const row of rows)
      for (const column of given) parameters.push(column.toParameter(row[column.property]));
    if (parameters.some(isExpression)) return undefined;
    const values = event ? [...parameters, event.type, event.version, event.occurredAt] : parameters;
    const sql = () => {
      const columns = given.length > 0 ? given : this.columns.slice(0, 1);
      const tuple = (_: Entity, i: number) =>
        `(${columns.map((_, j) => (given.length > 0 ? `$${i * given.length + j + 1}` : 'DEFAULT')).join()})`;
      const insert =
        `INSERT INTO ${this.table} (${columns.map(({ name }) => name).join()}) ` +
        `VALUES ${rows.map(tuple).join()} RETURNING ${this.names}`;
      if (!event) return insert;
      const [type, version, occurredAt] = [1, 2, 3].map((i) => `$${parameters.length + i}`);
      return (
        `WITH written AS (${insert}), event AS (${OUTBOX} SELECT ${type}, ${version}, ${occurredAt}, ` +
        `row_to_json(data.*) FROM (SELECT ${this.dataOf(event.members)} FROM written) AS data) ` +
        `SELECT ${this.names} FROM written`
      );
    };
    const what = `insert ${rows.length} ${given.map(({ property }) => property).join()} ${event?.members.join() ?? ''}`;
    const isUsual = rows.length === 1 || rows.length === rowsOfStatement(this.metadata);
    return isUsual ? this.statement(what, values, sql) : { query: { text: sql(), rowMode: 'array' }, values };
  }

  /** The columns for which the row has a value. */
  givenColumns(row: Entity | undefined): Column[] {
    return this.columns.filter(({ property }) => row?.[property] !== undefined);
  }

  /**
   * Whether PostgreSQL can make data of these members: each is a column whose JSON is the same as that of
   * JavaScript. This is for speed alone: with a statement of its own for the event, and a transaction around
   * both, a creation takes 1.4 to 1.6 times the CPU.
   */
  canMake(members: readonly string[]): boolean {
    return ['id', ...members].every((member) => {
      const column = this.byProperty.get(member);
      return column !== undefined && isSameJson(column.metadata) && Buffer.byteLength(member) <= LONGEST_NAME;
    });
  }

  private dataOf(members: readonly string[]): string {
    return [...new Set(['id', ...members])]
      .map((member) => `${this.byProperty.get(member)?.name ?? ''} AS ${escapeIdentifier(member)}`)
      .join();
  }

  /**
   * Updates the row with this primary key. PostgreSQL compares it with the row before, which it locks first:
   * if another transaction has changed it meanwhile, that is the row after that change.
   * @returns undefined if TypeORM changes more columns than these, or if a value is an SQL expression
   */
  update(where: object, changes: Partial<Entity>): NamedStatement | undefined {
    const [property = ''] = Object.keys(where); // isCovered() sees that it is one column
    const id: unknown = (where as ObjectLiteral)[property];
    const key = this.byProperty.get(property);
    if (!key || property in changes || this.metadata.updateDateColumn) return undefined;
    const isPlain = ([property, value]: [string, unknown]) =>
      this.byProperty.get(property)?.metadata.isUpdate === true && !isExpression(value);
    if (!Object.entries(changes).every(isPlain)) return undefined;
    // In the order of the table: that of a client's members would make a statement for each order.
    const columns = this.columns.filter(({ property }) => property in changes);
    const set = columns.map((column) => column.toParameter((changes as ObjectLiteral)[column.property]));
    return this.statement(`update ${columns.map(({ property }) => property).join()}`, [...set, id], () => {
      const sets = columns.map(({ name }, i) => `${name} = $${i + 1}`).join();
      const [before, after] = ['before', 'after'].map((row) =>
        this.columns.map(({ name }) => `${row}.${name}`).join(),
      );
      // By their bytes: `=` takes 1.0 for 1.00, and there is none for some types.
      return (
        `UPDATE ${this.table} AS after SET ${sets} FROM (SELECT ${this.names} FROM ${this.table} ` +
        `WHERE ${key.name} = $${columns.length + 1} FOR NO KEY UPDATE) AS before ` +
        `WHERE after.${key.name} = before.${key.name} ` +
        `RETURNING ${after}, ${before}, ROW(${before})::record *<> ROW(${after})::record`
      );
    });
  }

  /** Deletes the row with this primary key. Returns it as it was. */
  delete(where: object): NamedStatement | undefined {
    const [[property, id] = ['', undefined]] = Object.entries(where) as [string, unknown][];
    const key = this.byProperty.get(property);
    if (!key) return undefined;
    const sql = () => `DELETE FROM ${this.table} WHERE ${key.name} = $1 RETURNING ${this.names}`;
    return this.statement('delete', [id], sql);
  }

  /** The same for a statement of {@link update}. @returns undefined if it has updated none */
  async runUpdate(manager: EntityManager, statement: NamedStatement): Promise<Updated<Entity> | undefined> {
    const [fields] = (await runNamed(manager, statement)) as unknown[][];
    if (!fields) return undefined;
    const before = this.toEntity(fields.slice(this.columns.length));
    return { before, after: this.toEntity(fields), isChanged: fields.at(-1) === true };
  }

  /**
   * Runs a statement in the transaction of the manager, or on a connection of its own.
   * @throws QueryFailedError
   */
  async run(manager: EntityManager, statement: NamedStatement): Promise<Entity[]> {
    const rows = (await runNamed(manager, statement)) as unknown[][];
    const entities: Entity[] = [];
    for (const fields of rows) entities.push(this.toEntity(fields));
    return entities;
  }

  /** The same for a statement of {@link selectByKey} or {@link selectBySql}. */
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

/** How each event is written, whatever makes its data. */
export const OUTBOX = 'INSERT INTO event_outbox (type, version, occurred_at, data)';

/**
 * How many rows an `INSERT` takes: a statement has at most 65,535 parameters. Each connection keeps plans of
 * this number and of one row, not of those between.
 */
export const rowsOfStatement = ({ columns }: EntityMetadata): number =>
  Math.min(100, Math.floor(65_000 / columns.length));

/** In bytes. PostgreSQL truncates a longer one. */
const LONGEST_NAME = 63;

const isExpression = (value: unknown): boolean => typeof value === 'function';

/**
 * Each connection keeps a plan for each name, and the members of a `PATCH` decide which columns an update
 * has.
 */
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
const isSimple = (value: unknown): value is number | bigint | string | boolean =>
  ['number', 'bigint', 'string', 'boolean'].includes(typeof value);
