import type { EntityMetadata } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { isPassedThrough } from './plain-entity.js';
import { type Parser, statement, type Statement } from './statement.js';

/** Prepared statements of one table. Requests determine their columns. */
const MAX_STATEMENTS = 32;

/** A statement in the same transaction as a write. */
export interface FollowUp {
  /** Identifies the statement among those of the table. */
  readonly name: string;
  /**
   * @param column name of the column of a property in `written`, the new row
   * @param value placeholder of an item of `values`
   */
  readonly sql: (column: (property: string) => string, value: (i: number) => string) => string;
  readonly values: readonly unknown[];
}

/** The SQL of a plain entity. `undefined`: there are too many statements. */
export class TableStatements {
  readonly columns: readonly Column[];
  /** The columns that an insert returns. */
  readonly returned: readonly Column[];
  readonly byProperty: ReadonlyMap<string, Column>;
  private readonly statements = new Map<string, Statement>();

  constructor(readonly entity: EntityMetadata) {
    this.columns = entity.columns.map((column) => new Column(column));
    this.byProperty = new Map(this.columns.map((column) => [column.property, column]));
    const returned = entity.getInsertionReturningColumns();
    this.returned = this.columns.filter(({ metadata }) => returned.includes(metadata));
  }

  byId(lock: 'FOR UPDATE' | '' = ''): Statement | undefined {
    return this.prepared(`find ${lock}`, () => `${this.select()} WHERE ${this.id()} = $1 ${lock}`);
  }

  /** Its values: those of the properties, the last `id` of the page before, the limit. */
  page(properties: readonly string[], after: boolean): Statement | undefined {
    return this.prepared(`page ${properties.join()}${after ? ' after' : ''}`, () => {
      const conditions = properties.map((property, i) => `${this.name(property)} = $${i + 1}`);
      if (after) conditions.push(`${this.id()} > $${conditions.length + 1}`);
      const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
      return `${this.select()}${where} ORDER BY ${this.id()} LIMIT $${conditions.length + 1}`;
    });
  }

  /** Its values: those of the columns, and of the follow-up. */
  insert(columns: readonly Column[], also?: FollowUp): Statement | undefined {
    return this.prepared(`insert ${also?.name ?? ''} ${properties(columns)}`, () => {
      const values = columns.map((_, i) => `$${i + 1}`);
      const insert = `INSERT INTO ${this.table()} (${names(columns)}) VALUES (${values.join()}) RETURNING`;
      if (!also) return `${insert} ${names(this.returned)}`;
      return `WITH written AS (${insert} *), also AS (${this.followUp(also, columns.length)})
        SELECT ${names(this.returned)} FROM written`;
    });
  }

  /** Its values: those of the columns, the `id`, and those of the follow-up. */
  update(columns: readonly Column[], also: FollowUp): Statement | undefined {
    return this.prepared(`update ${also.name} ${properties(columns)}`, () => {
      const values = columns.map(({ name }, i) => `${name} = $${i + 1}`);
      const where = `${this.id()} = $${columns.length + 1}`;
      return `WITH written AS (UPDATE ${this.table()} SET ${values.join()} WHERE ${where} RETURNING *)
        ${this.followUp(also, columns.length + 1)}`;
    });
  }

  private prepared(name: string, sql: () => string): Statement | undefined {
    let known = this.statements.get(name);
    if (known === undefined && this.statements.size < MAX_STATEMENTS) {
      this.statements.set(name, (known = statement(sql())));
    }
    return known;
  }

  private followUp({ sql }: FollowUp, offset: number): string {
    return sql(
      (property) => this.name(property),
      (i) => `$${offset + i + 1}`,
    );
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

/** A column of a plain entity. */
export class Column {
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

const properties = (columns: readonly Column[]): string => columns.map(({ property }) => property).join();

export const isNumber = (value: unknown): boolean => typeof value === 'number' || typeof value === 'bigint';

/** A plain value: not null, an operator or an SQL expression. */
export const isSimple = (value: unknown): boolean =>
  isNumber(value) || typeof value === 'string' || typeof value === 'boolean';
