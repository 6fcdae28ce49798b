import type { EntityMetadata, ObjectLiteral } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import type { Int64 } from '../../kernel/json/int64.js';
import { isPassedThrough } from './plain-entity.js';
import { bind, type RawRows, statement, type Statement } from './statement.js';
import type { StatementBatches } from './statement-batches.js';

/** Prepared statements of one table. Requests determine their columns. */
const MAX_STATEMENTS = 32;

interface PageOf {
  /** Values by property. */
  readonly where: ObjectLiteral;
  /** The page starts after this `id`. */
  readonly after?: Int64;
  readonly limit: number;
}

/** A statement in the same transaction as an insert. */
export interface FollowUp {
  /** Identifies the statement among those of the table. */
  readonly name: string;
  /**
   * @param column name of the column of a property in `inserted`, the new row
   * @param value placeholder of an item of `values`
   */
  readonly sql: (column: (property: string) => string, value: (i: number) => string) => string;
  readonly values: readonly unknown[];
}

/** Reads and writes a plain entity by prepared statements, with the results of its repository. `undefined`: not supported. */
export class PlainTable<E extends { id: Int64 }> {
  private readonly statements = new Map<string, Statement>();
  private readonly columns: readonly Column[];
  /** The columns that an insert returns. */
  private readonly returned: readonly Column[];
  private readonly byProperty: ReadonlyMap<string, Column>;

  constructor(
    private readonly entity: EntityMetadata,
    private readonly batches: StatementBatches,
  ) {
    this.columns = entity.columns.map((column) => new Column(column));
    this.byProperty = new Map(this.columns.map((column) => [column.property, column]));
    const returned = entity.getInsertionReturningColumns();
    this.returned = this.columns.filter(({ metadata }) => returned.includes(metadata));
  }

  findById(id: Int64): Promise<E | null> | undefined {
    if (!isNumber(id)) return undefined;
    const found = this.prepared('find', () => `${this.select()} WHERE ${this.id()} = $1`);
    return found && this.read(found, [id]).then(([row]) => row ?? null);
  }

  findPage({ where, after, limit }: PageOf): Promise<E[]> | undefined {
    const properties = Object.keys(where);
    const values: unknown[] = Object.values(where);
    if (!values.every(isSimple) || !properties.every((property) => this.byProperty.has(property))) {
      return undefined;
    }
    const name = `page ${properties.join()}${after === undefined ? '' : ' after'}`;
    const page = this.prepared(name, () => this.pageSql(properties, after !== undefined));
    return page && this.read(page, [...values, ...(after === undefined ? [] : [after]), limit]);
  }

  /** @param also runs in the same statement */
  insert(given: Partial<E>, also?: FollowUp): Promise<E> | undefined {
    const row = this.entity.create() as ObjectLiteral;
    const columns: Column[] = [];
    const values: unknown[] = [];
    let name = `insert ${also?.name ?? ''}`;
    for (const column of this.columns) {
      const { property } = column;
      const value: unknown = (given as ObjectLiteral)[property];
      if (value !== undefined) row[property] = value;
      if (row[property] === undefined) continue; // the default of PostgreSQL
      if (!column.takes(row[property])) return undefined;
      columns.push(column);
      values.push(column.persist(row[property]));
      name += ` ${property}`;
    }
    if (columns.length === 0 || this.returned.length === 0) return undefined;
    if (row.id !== undefined) return undefined; // `save` may do an update
    const insert = this.prepared(name, () => this.insertSql(columns, also));
    if (!insert) return undefined;
    if (also) values.push(...also.values);
    return this.batches.write(bind(insert, values)).then((rows) => this.complete(row, rows));
  }

  /** As after `Repository.save`: with the values that PostgreSQL has set, and null for missing ones. */
  private complete(row: ObjectLiteral, { parsers, rows: [returned] }: RawRows): E {
    for (const { property, metadata } of this.columns) {
      if (metadata.isNullable && row[property] === undefined) row[property] = null;
    }
    for (const [i, column] of this.returned.entries()) {
      row[column.property] = column.read(returned?.[i] ?? null, parsers[i]);
    }
    return row as E;
  }

  private async read(page: Statement, values: readonly unknown[]): Promise<E[]> {
    const { parsers, rows } = await this.batches.read(bind(page, values));
    const { columns, entity } = this;
    return rows.map((fields) => {
      const row = entity.create(undefined, { fromDeserializer: true }) as ObjectLiteral;
      // An iterator takes twice as long.
      for (let i = 0; i < columns.length; i++) {
        const column = columns[i];
        if (column) row[column.property] = column.read(fields[i] ?? null, parsers[i]);
      }
      return row as E;
    });
  }

  private prepared(name: string, sql: () => string): Statement | undefined {
    let known = this.statements.get(name);
    if (known === undefined && this.statements.size < MAX_STATEMENTS) {
      this.statements.set(name, (known = statement(sql())));
    }
    return known;
  }

  private pageSql(properties: readonly string[], after: boolean): string {
    const conditions = properties.map((property, i) => `${this.name(property)} = $${i + 1}`);
    if (after) conditions.push(`${this.id()} > $${conditions.length + 1}`);
    const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
    return `${this.select()}${where} ORDER BY ${this.id()} LIMIT $${conditions.length + 1}`;
  }

  private insertSql(columns: readonly Column[], also?: FollowUp): string {
    const values = columns.map((_, i) => `$${i + 1}`);
    const insert = `INSERT INTO ${this.table()} (${names(columns)}) VALUES (${values.join()}) RETURNING`;
    if (!also) return `${insert} ${names(this.returned)}`;
    const sql = also.sql(
      (property) => this.name(property),
      (i) => `$${columns.length + 1 + i}`,
    );
    return `WITH inserted AS (${insert} *), also AS (${sql}) SELECT ${names(this.returned)} FROM inserted`;
  }

  private select(): string {
    return `SELECT ${names(this.columns)} FROM ${this.table()}`;
  }

  private table(): string {
    const { driver } = this.entity.dataSource;
    return this.entity.tablePath
      .split('.')
      .map((part) => driver.escape(part))
      .join('.');
  }

  private id(): string {
    return this.name('id');
  }

  private name(property: string): string {
    return this.byProperty.get(property)?.name ?? '';
  }
}

class Column {
  readonly property: string;
  /** In SQL. */
  readonly name: string;
  private readonly isConverted: boolean;

  constructor(readonly metadata: ColumnMetadata) {
    this.property = metadata.propertyName;
    this.name = metadata.entityMetadata.dataSource.driver.escape(metadata.databaseName);
    this.isConverted = !isPassedThrough(metadata);
  }

  takes(value: unknown): boolean {
    return isSimple(value) || value === null || (value instanceof Date && this.isConverted);
  }

  persist(value: unknown): unknown {
    return this.isConverted ? this.driver.preparePersistentValue(value, this.metadata) : value;
  }

  read(text: string | null, parse: ((text: string) => unknown) | undefined): unknown {
    if (text === null) return null;
    const value = parse ? parse(text) : text;
    return this.isConverted ? (this.driver.prepareHydratedValue(value, this.metadata) as unknown) : value;
  }

  private get driver() {
    return this.metadata.entityMetadata.dataSource.driver;
  }
}

const names = (columns: readonly Column[]): string => columns.map(({ name }) => name).join(', ');

const isNumber = (value: unknown): boolean => typeof value === 'number' || typeof value === 'bigint';

/** A plain value: not null, an operator or an SQL expression. */
const isSimple = (value: unknown): boolean =>
  isNumber(value) || typeof value === 'string' || typeof value === 'boolean';
