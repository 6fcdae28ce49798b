import { type EntityMetadata, FindOperator, type ObjectLiteral } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { memoize } from '../../kernel/caching.js';
import { isPassedThrough, isPlainEntity } from './plain-entity.js';
import { type Parser, type RawRows, statement, type Statement } from './statement.js';

/** Prepared statements of one table. Requests determine their columns. */
const MAX_STATEMENTS = 32;

/** A statement with the values of its parameters. */
export interface PlainStatement {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

/** A statement that runs together with an insert or an update, and sees the row as `written (id)`. */
export interface FollowUp {
  /** @param value the placeholder of an item of `values` */
  readonly sql: (value: (i: number) => string) => string;
  readonly values: readonly unknown[];
}

/** SQL for a plain entity, with the results of TypeORM. `undefined`: left to TypeORM. */
export class PlainTable {
  /** The table of an entity, if it is plain. */
  static readonly of = memoize((entity: EntityMetadata) =>
    isPlainEntity(entity) ? new PlainTable(entity) : undefined,
  );

  private readonly columns: readonly Column[];
  private readonly byProperty: ReadonlyMap<string, Column>;
  private readonly id: Column | undefined;
  private readonly isIdOnlyGenerated: boolean;
  private readonly statements = new Map<string, Statement>();

  private constructor(private readonly entity: EntityMetadata) {
    this.columns = entity.columns.map((column) => new Column(column));
    this.byProperty = new Map(this.columns.map((column) => [column.property, column]));
    this.id = this.byProperty.get('id');
    const returned = entity.getInsertionReturningColumns();
    this.isIdOnlyGenerated = returned.length === 1 && returned[0]?.propertyName === 'id';
  }

  /** The statement of `EntityManager.find`, for properties that are equal to values or more than one. */
  select(options: object, isInTransaction: boolean): PlainStatement | undefined {
    const { where = {}, order = {}, take, lock, ...others } = options as Record<string, unknown>;
    if (lock !== undefined && !(isInTransaction && isForUpdate(lock))) return undefined;
    if (Object.keys(others).length > 0 || !isLiteral(where) || !isLiteral(order)) return undefined;
    const [conditions, values] = [[] as string[], [] as unknown[]];
    for (const [property, given] of Object.entries(where as Record<string, unknown>)) {
      const isMore = given instanceof FindOperator && given.type === 'moreThan';
      const value = isMore ? (given as FindOperator<unknown>).value : given;
      const column = this.byProperty.get(property);
      if (!column || !isSimple(value)) return undefined;
      conditions.push(`${column.name} ${isMore ? '>' : '='} $${values.push(value)}`);
    }
    const sorting: string[] = [];
    for (const [property, direction] of Object.entries(order)) {
      const column = this.byProperty.get(property);
      if (!column || (direction !== 'ASC' && direction !== 'DESC')) return undefined;
      sorting.push(`${column.name} ${direction}`);
    }
    let tail = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
    if (sorting.length > 0) tail += ` ORDER BY ${sorting.join()}`;
    if (take !== undefined) {
      if (typeof take !== 'number' || !Number.isSafeInteger(take) || take < 1) return undefined;
      tail += ` LIMIT $${values.push(take)}`;
    }
    if (lock !== undefined) tail += ' FOR UPDATE';
    const prepared = this.prepared(tail, () => `SELECT ${names(this.columns)} FROM ${this.table()}${tail}`);
    return prepared && { statement: prepared, values };
  }

  /** The entities of the rows of `select`. */
  entities({ parsers, rows }: RawRows): ObjectLiteral[] {
    return rows.map((fields) => {
      const row = this.entity.create(undefined, { fromDeserializer: true }) as ObjectLiteral;
      // An iterator takes twice as long.
      for (let i = 0; i < this.columns.length; i++) {
        const column = this.columns[i];
        if (column) row[column.property] = column.read(fields[i] ?? null, parsers[i]);
      }
      return row;
    });
  }

  /** The entity that `Repository.save` would insert and return, without its `id`, where that alone is generated. */
  newRow(given: ObjectLiteral): ObjectLiteral | undefined {
    if (!this.isIdOnlyGenerated || !this.id?.isInteger) return undefined;
    const row = this.entity.create() as ObjectLiteral;
    for (const { property, metadata } of this.columns) {
      const value: unknown = given[property];
      if (value !== undefined) row[property] = value;
      if (row[property] === undefined && metadata.isNullable) row[property] = null;
    }
    return row.id === undefined ? row : undefined; // with an `id`, `save` may do an update
  }

  /** Inserts a row of `newRow`, and returns its `id`. */
  insert(row: ObjectLiteral, { sql, values }: FollowUp): PlainStatement | undefined {
    const columns = this.columns.filter(({ property }) => row[property] !== undefined);
    if (columns.length === 0 || !columns.every((column) => column.takes(row[column.property])))
      return undefined;
    const prepared = this.prepared(`insert ${columns.map(({ property }) => property).join()}`, () => {
      const placeholders = columns.map((_, i) => `$${i + 1}`);
      const write = `INSERT INTO ${this.table()} (${names(columns)}) VALUES (${placeholders.join()})`;
      return this.together(write, sql, columns.length);
    });
    const persisted = columns.map((column) => column.persist(row[column.property]));
    return prepared && { statement: prepared, values: [...persisted, ...values] };
  }

  /** Changes the row with an `id`, and returns the `id` if there is such a row. */
  update(id: unknown, changes: ObjectLiteral, { sql, values }: FollowUp): PlainStatement | undefined {
    const given: [Column, unknown][] = [];
    for (const [property, value] of Object.entries(changes)) {
      const column = this.byProperty.get(property);
      if (!column?.metadata.isUpdate || !column.takes(value)) return undefined;
      given.push([column, column.persist(value)]);
    }
    if (given.length === 0 || !isSimple(id) || this.entity.updateDateColumn) return undefined;
    const properties = given.map(([{ property }]) => property);
    const prepared = this.prepared(`update ${properties.join()}`, () => {
      const sets = given.map(([{ name }], i) => `${name} = $${i + 1}`);
      const write = `UPDATE ${this.table()} SET ${sets.join()} WHERE ${this.id?.name} = $${given.length + 1}`;
      return this.together(write, sql, given.length + 1);
    });
    return prepared && { statement: prepared, values: [...given.map(([, value]) => value), id, ...values] };
  }

  private together(write: string, followUp: FollowUp['sql'], parameters: number): string {
    return `WITH written AS (${write} RETURNING ${this.id?.name} AS id),
      also AS (${followUp((i) => `$${parameters + i + 1}`)}) SELECT id FROM written`;
  }

  private prepared(name: string, sql: () => string): Statement | undefined {
    let known = this.statements.get(name);
    if (known === undefined && this.statements.size < MAX_STATEMENTS) {
      this.statements.set(name, (known = statement(sql())));
    }
    return known;
  }

  private table(): string {
    const { driver } = this.entity.dataSource;
    return this.entity.tablePath
      .split('.')
      .map((part) => driver.escape(part))
      .join('.');
  }
}

/** A column of a plain entity. */
class Column {
  readonly property: string;
  /** In SQL. */
  readonly name: string;
  readonly isInteger: boolean;
  private readonly isConverted: boolean;

  constructor(readonly metadata: ColumnMetadata) {
    this.property = metadata.propertyName;
    this.name = metadata.entityMetadata.dataSource.driver.escape(metadata.databaseName);
    this.isInteger = ['bigint', 'int8', 'integer', 'int', 'int4'].includes(String(metadata.type));
    this.isConverted = !isPassedThrough(metadata);
  }

  takes(value: unknown): boolean {
    return isSimple(value) || value === null || (value instanceof Date && this.isConverted);
  }

  persist(value: unknown): unknown {
    return this.isConverted ? this.driver.preparePersistentValue(value, this.metadata) : value;
  }

  /** @param parse for a value that is the text of PostgreSQL */
  read(found: unknown, parse: Parser | undefined): unknown {
    if (found === null) return null;
    const value = parse ? parse(found as string) : found;
    return this.isConverted ? (this.driver.prepareHydratedValue(value, this.metadata) as unknown) : value;
  }

  private get driver() {
    return this.metadata.entityMetadata.dataSource.driver;
  }
}

const names = (columns: readonly Column[]): string => columns.map(({ name }) => name).join(', ');

const isLiteral = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const isForUpdate = (lock: unknown): boolean =>
  typeof lock === 'object' && JSON.stringify(lock) === '{"mode":"pessimistic_write"}';

/** A plain value: not null, an operator or an SQL expression. */
const isSimple = (value: unknown): boolean =>
  ['number', 'bigint', 'string', 'boolean'].includes(typeof value);
