import { hash } from 'node:crypto';
import { type EntityMetadata, FindOperator, type ObjectLiteral } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { memoize } from '../../kernel/caching.js';
import type { ClientConfig } from '../pool/service-client.js';
import { isPassedThrough, isPlainEntity } from './plain-entity.js';
import type { Parser, RawRows, Statement } from './statement-batches.js';

/** Prepared statements per table. Requests determine which columns they contain. */
const MAX_STATEMENTS = 32;

/** A statement that runs together with an insert or an update. It can refer to the row as `written (id)`. */
export interface FollowUp {
  /** @param value returns the placeholder of an item of `values` */
  readonly sql: (value: (i: number) => string) => string;
  readonly values: readonly string[];
}

/** Builds SQL for a plain entity, with the same results as TypeORM. Methods return `undefined` for calls left to TypeORM. */
export class PlainTable {
  /** The table of an entity, if it is plain. */
  static readonly of = memoize((entity: EntityMetadata) =>
    isPlainEntity(entity) ? new PlainTable(entity) : undefined,
  );

  private readonly columns: readonly Column[];
  private readonly byProperty: ReadonlyMap<string, Column>;
  private readonly id?: Column;
  /** Columns that PostgreSQL may set, except the `id`. */
  private readonly defaults: readonly Column[];
  private readonly keepsStatements: boolean;
  private readonly statements = new Map<string, Pick<Statement, 'name' | 'text'>>();

  private constructor(private readonly entity: EntityMetadata) {
    this.columns = entity.columns.map((column) => new Column(column));
    this.byProperty = new Map(this.columns.map((column) => [column.property, column]));
    if (entity.primaryColumns[0]?.propertyName === 'id') this.id = this.byProperty.get('id');
    const { extra } = entity.dataSource.options as { extra?: ClientConfig };
    this.keepsStatements = extra?.preparedStatements !== false;
    const returned = new Set(entity.getInsertionReturningColumns());
    this.defaults = this.columns.filter((column) => column !== this.id && returned.has(column.metadata));
  }

  /** The statement of `EntityManager.find`, if its conditions are only `=` and `>`. */
  select(options: object, isInTransaction: boolean): Statement | undefined {
    const { where = {}, order = {}, take, lock, ...others } = options as Record<string, unknown>;
    if (lock !== undefined && !(isInTransaction && isForUpdate(lock))) return undefined;
    if (Object.keys(others).length > 0 || !isLiteral(where) || !isLiteral(order)) return undefined;
    const [conditions, values] = [[] as string[], [] as string[]];
    for (const [property, given] of Object.entries(where as Record<string, unknown>)) {
      const isMore = given instanceof FindOperator && given.type === 'moreThan';
      const value = isMore ? (given as FindOperator<unknown>).value : given;
      const column = this.byProperty.get(property);
      if (!column || !isSimple(value)) return undefined;
      conditions.push(`${column.name} ${isMore ? '>' : '='} $${values.push(String(value))}`);
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
      tail += ` LIMIT $${values.push(String(take))}`;
    }
    if (lock !== undefined) tail += ' FOR UPDATE';
    return this.statement(tail, values, () => `SELECT ${names(this.columns)} FROM ${this.table()}${tail}`);
  }

  /** Converts the rows of `select` into entities. */
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

  /** The entity that `Repository.save` would insert, without its `id`, if PostgreSQL sets no other column. */
  newRow(given: ObjectLiteral): ObjectLiteral | undefined {
    if (!this.id?.isInteger || !this.id.metadata.isGenerated) return undefined;
    if (!this.defaults.every(({ isMoment, property }) => isMoment && given[property] instanceof Date))
      return undefined;
    const row = this.entity.create() as ObjectLiteral;
    for (const { property, metadata } of this.columns) {
      const value: unknown = given[property];
      if (value !== undefined) row[property] = value;
      if (row[property] === undefined && metadata.isNullable) row[property] = null;
    }
    return row.id === undefined ? row : undefined; // with an `id`, `save` may update a row
  }

  /** Inserts a row from `newRow` and returns its `id`. */
  insert(row: ObjectLiteral, followUp: FollowUp): Statement | undefined {
    const columns = this.columns.filter(({ property }) => row[property] !== undefined);
    return this.write(
      `insert ${columns.map(({ property }) => property).join()}`,
      columns,
      row,
      followUp,
      () => {
        const placeholders = columns.map((_, i) => `$${i + 1}`);
        return `INSERT INTO ${this.table()} (${names(columns)}) VALUES (${placeholders.join()})`;
      },
    );
  }

  /** Updates the row with the `id`. Returns the `id` if the row exists. */
  update(id: unknown, changes: ObjectLiteral, followUp: FollowUp): Statement | undefined {
    const columns = Object.keys(changes).map((property) => this.byProperty.get(property));
    const { id: key } = this;
    if (!key || 'id' in changes || !isSimple(id)) return undefined;
    if (this.entity.updateDateColumn || columns.length === 0 || !columns.every(isUpdated)) return undefined;
    const row = { ...changes, id };
    const properties = columns.map(({ property }) => property).join();
    return this.write(`update ${properties}`, [...columns, key], row, followUp, () => {
      const sets = columns.map(({ name }, i) => `${name} = $${i + 1}`);
      return `UPDATE ${this.table()} SET ${sets.join()} WHERE ${key.name} = $${columns.length + 1}`;
    });
  }

  private write(
    name: string,
    columns: readonly Column[],
    row: ObjectLiteral,
    followUp: FollowUp,
    sql: () => string,
  ): Statement | undefined {
    const texts = columns.map((column) => column.persist(row[column.property]));
    if (columns.length === 0 || !texts.every((text) => text !== undefined)) return undefined;
    return this.statement(name, [...texts, ...followUp.values], () => {
      const also = followUp.sql((i) => `$${columns.length + i + 1}`);
      return `WITH written AS (${sql()} RETURNING ${this.id?.name} AS id), also AS (${also}) SELECT id FROM written`;
    });
  }

  private statement(
    key: string,
    values: readonly (string | null)[],
    sql: () => string,
  ): Statement | undefined {
    let known = this.statements.get(key);
    if (known === undefined) {
      if (this.statements.size === MAX_STATEMENTS) return undefined;
      const text = sql();
      // A hash, because PostgreSQL truncates names after 63 bytes.
      known = { name: this.keepsStatements ? hash('sha256', text, 'base64url') : '', text };
      this.statements.set(key, known);
    }
    return { ...known, values };
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
  /** The escaped name for SQL. */
  readonly name: string;
  readonly isInteger: boolean;
  readonly isMoment: boolean;
  private readonly isConverted: boolean;

  constructor(readonly metadata: ColumnMetadata) {
    this.property = metadata.propertyName;
    this.name = metadata.entityMetadata.dataSource.driver.escape(metadata.databaseName);
    this.isInteger = ['bigint', 'int8', 'integer', 'int', 'int4'].includes(String(metadata.type));
    this.isMoment = ['timestamptz', 'timestamp with time zone'].includes(String(metadata.type));
    this.isConverted = !isPassedThrough(metadata);
  }

  /** The text of a value for PostgreSQL, or undefined for a value that is left to TypeORM. */
  persist(given: unknown): string | null | undefined {
    if (!isSimple(given) && given !== null && !(given instanceof Date && this.isConverted)) return undefined;
    const value = (this.isConverted ? this.driver.preparePersistentValue(given, this.metadata) : given) as
      string | number | bigint | boolean | Date | null;
    if (value instanceof Date) return hasFourDigitYear(value) ? value.toISOString() : undefined;
    return value === null ? null : String(value);
  }

  /** Converts a value from PostgreSQL. @param parse the parser, if the value is a text */
  read(found: unknown, parse: Parser | undefined): unknown {
    if (found === null) return null;
    const value = parse ? parse(found as string) : found;
    return this.isConverted ? (this.driver.prepareHydratedValue(value, this.metadata) as unknown) : value;
  }

  private get driver() {
    return this.metadata.entityMetadata.dataSource.driver;
  }
}

const isUpdated = (column: Column | undefined): column is Column => column?.metadata.isUpdate === true;

/** PostgreSQL uses a different format for other years. False for an invalid date. */
const hasFourDigitYear = (date: Date): boolean =>
  date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9_999;

const names = (columns: readonly Column[]): string => columns.map(({ name }) => name).join(', ');

const isLiteral = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const isForUpdate = (lock: unknown): boolean =>
  typeof lock === 'object' && JSON.stringify(lock) === '{"mode":"pessimistic_write"}';

/** Whether a value is a plain one, not null, an operator or an SQL expression. */
const isSimple = (value: unknown): boolean =>
  ['number', 'bigint', 'string', 'boolean'].includes(typeof value);
