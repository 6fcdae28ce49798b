import type { ObjectLiteral } from 'typeorm';
import type { Int64 } from '../../kernel/json/int64.js';
import type { RawRows, Statement } from './statement.js';
import { type Column, type FollowUp, isNumber, isSimple, type TableStatements } from './table-statements.js';

interface PageOf {
  /** Values by property. */
  readonly where: ObjectLiteral;
  /** The page starts after this `id`. */
  readonly after?: Int64;
  readonly limit: number;
}

/** Where statements run. */
export interface StatementRunner {
  readonly isTransaction: boolean;
  read(statement: Statement, values: readonly unknown[]): Promise<RawRows>;
  write(statement: Statement, values: readonly unknown[]): Promise<RawRows>;
}

/** Reads and writes a plain entity by prepared statements, with the results of its repository. `undefined`: not supported. */
export class PlainTable<E extends { id: Int64 }> {
  constructor(
    private readonly statements: TableStatements,
    private readonly runner: StatementRunner,
  ) {}

  findById(id: Int64): Promise<E | null> | undefined {
    return this.find(id, this.statements.byId());
  }

  /** Finds and locks a row in a transaction. */
  lockById(id: Int64): Promise<E | null> | undefined {
    return this.runner.isTransaction ? this.find(id, this.statements.byId('FOR UPDATE')) : undefined;
  }

  findPage({ where, after, limit }: PageOf): Promise<E[]> | undefined {
    const { byProperty } = this.statements;
    const properties = Object.keys(where);
    const values: unknown[] = Object.values(where);
    if (!values.every(isSimple) || !properties.every((property) => byProperty.has(property))) {
      return undefined;
    }
    const page = this.statements.page(properties, after !== undefined);
    return page && this.read(page, [...values, ...(after === undefined ? [] : [after]), limit]);
  }

  /** @param also runs in the same statement */
  insert(given: Partial<E>, also?: FollowUp): Promise<E> | undefined {
    const { entity, returned } = this.statements;
    const row = entity.create() as ObjectLiteral;
    const columns: Column[] = [];
    const values: unknown[] = [];
    for (const column of this.statements.columns) {
      const { property } = column;
      const value: unknown = (given as ObjectLiteral)[property];
      if (value !== undefined) row[property] = value;
      if (row[property] === undefined) continue; // the default of PostgreSQL
      if (!column.takes(row[property])) return undefined;
      columns.push(column);
      values.push(column.persist(row[property]));
    }
    if (columns.length === 0 || returned.length === 0) return undefined;
    if (row.id !== undefined) return undefined; // `save` may do an update
    const insert = this.statements.insert(columns, also);
    if (!insert) return undefined;
    if (also) values.push(...also.values);
    return this.runner.write(insert, values).then((rows) => this.complete(row, rows));
  }

  /** @param also runs in the same statement */
  update(id: Int64, changes: Partial<E>, also: FollowUp): Promise<unknown> | undefined {
    const columns: Column[] = [];
    const values: unknown[] = [];
    for (const [property, value] of Object.entries(changes)) {
      const column = this.statements.byProperty.get(property);
      if (!column?.metadata.isUpdate || !column.takes(value)) return undefined;
      columns.push(column);
      values.push(column.persist(value));
    }
    if (columns.length === 0 || !isNumber(id) || this.statements.entity.updateDateColumn) return undefined;
    const update = this.statements.update(columns, also);
    return update && this.runner.write(update, [...values, id, ...also.values]);
  }

  private find(id: Int64, statement: Statement | undefined): Promise<E | null> | undefined {
    if (!isNumber(id) || !statement) return undefined;
    return this.read(statement, [id]).then(([row]) => row ?? null);
  }

  /** As after `Repository.save`: with the values that PostgreSQL has set, and null for missing ones. */
  private complete(row: ObjectLiteral, { parsers, rows: [returned] }: RawRows): E {
    for (const { property, metadata } of this.statements.columns) {
      if (metadata.isNullable && row[property] === undefined) row[property] = null;
    }
    for (const [i, column] of this.statements.returned.entries()) {
      row[column.property] = column.read(returned?.[i] ?? null, parsers[i]);
    }
    return row as E;
  }

  private async read(page: Statement, values: readonly unknown[]): Promise<E[]> {
    const { parsers, rows } = await this.runner.read(page, values);
    const { columns, entity } = this.statements;
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
}
