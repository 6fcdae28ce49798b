import type { Pool } from 'pg';
import {
  DataSource,
  EntityManager,
  type EntityTarget,
  type FindManyOptions,
  type FindOneOptions,
  type FindOptionsWhere,
  type ObjectLiteral,
  type QueryRunner,
  type ReplicationMode,
} from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';
import { isSubscribed } from './pipeline/plain-entity.js';
import { type FollowUp, PlainTable, type PlainStatement } from './pipeline/plain-table.js';
import { bind, isStale, type RawRows } from './pipeline/statement.js';
import { StatementBatches } from './pipeline/statement-batches.js';
import { runningTransaction } from './transactions/ambient-transaction.js';
import { JoiningQueryRunner } from './transactions/joining-query-runner.js';
import { ServiceQueryRunner } from './transactions/service-query-runner.js';

/**
 * The data source of the service. With fast paths, it reads plain entities by prepared statements, and sends those of several
 * requests in one packet; what is not certain to have the same result is left to TypeORM. A list takes 93 µs of CPU
 * instead of 439 (docs/performance.md). Inside `inTransaction`, its query runners join the transaction.
 */
export class ServiceDataSource extends DataSource {
  private readonly fastPaths: boolean;
  private batches?: StatementBatches;

  constructor(options: PostgresDataSourceOptions, { fastPaths }: { readonly fastPaths: boolean }) {
    super(options);
    this.fastPaths = fastPaths;
  }

  override createEntityManager(queryRunner?: QueryRunner): EntityManager {
    return new ServiceEntityManager(this, queryRunner);
  }

  override createQueryRunner(mode: ReplicationMode = 'master'): QueryRunner {
    const driver = this.driver as PostgresDriver;
    const transaction = runningTransaction(this);
    const runner = transaction
      ? new JoiningQueryRunner(driver, transaction)
      : new ServiceQueryRunner(driver, mode);
    return Object.assign(runner, { manager: this.createEntityManager(runner) });
  }

  /** The table of a plain entity, unless something looks at its statements or rows. */
  plainTable(target: EntityTarget<ObjectLiteral>): PlainTable | undefined {
    if (!this.fastPaths) return undefined;
    const { logging, logger, maxQueryExecutionTime } = this.options;
    if ([logging, logger, maxQueryExecutionTime].some(Boolean)) return undefined;
    const metadata = this.getMetadata(target);
    if (this.subscribers.some((subscriber) => isSubscribed(subscriber, metadata))) return undefined;
    return PlainTable.of(metadata);
  }

  /** Runs a statement outside transactions, with those of other requests. */
  runBatched(way: 'read' | 'write', { statement, values }: PlainStatement): Promise<RawRows> {
    // On the pool of TypeORM, so that both share one limit.
    this.batches ??= new StatementBatches((this.driver as PostgresDriver).master as Pool);
    return this.batches[way](bind(statement, values));
  }
}

/** TypeORM's entity manager, with faster ways where nothing else differs. */
export class ServiceEntityManager extends EntityManager {
  override async find<Entity extends ObjectLiteral>(
    target: EntityTarget<Entity>,
    options: FindManyOptions<Entity> = {},
  ): Promise<Entity[]> {
    return (await this.fastRows(target, options)) ?? super.find(target, options);
  }

  override async findBy<Entity extends ObjectLiteral>(
    target: EntityTarget<Entity>,
    where: FindOptionsWhere<Entity> | FindOptionsWhere<Entity>[],
  ): Promise<Entity[]> {
    return (await this.fastRows(target, { where })) ?? super.findBy(target, where);
  }

  override async findOne<Entity extends ObjectLiteral>(
    target: EntityTarget<Entity>,
    options: FindOneOptions<Entity>,
  ): Promise<Entity | null> {
    const rows = options.where && (await this.fastRows(target, { ...options, take: 1 }));
    return rows ? (rows[0] ?? null) : super.findOne(target, options);
  }

  override async findOneBy<Entity extends ObjectLiteral>(
    target: EntityTarget<Entity>,
    where: FindOptionsWhere<Entity> | FindOptionsWhere<Entity>[],
  ): Promise<Entity | null> {
    const rows = await this.fastRows(target, { where, take: 1 });
    return rows ? (rows[0] ?? null) : super.findOneBy(target, where);
  }

  /**
   * Inserts a row, as `save(create(…))` does, and runs a second statement together with it.
   * @param followUp for the row, which has no `id` yet
   * @returns undefined where TypeORM has to do it
   */
  async insertWith<Entity extends ObjectLiteral>(
    target: EntityTarget<Entity>,
    values: ObjectLiteral,
    followUp: (row: Entity) => FollowUp | undefined,
  ): Promise<Entity | undefined> {
    const dataSource = this.dataSource as ServiceDataSource; // which has made this manager
    const table = dataSource.plainTable(target);
    const row = table?.newRow(values) as Entity | undefined;
    const also = row && followUp(row);
    const insert = also && table?.insert(row, also);
    if (!insert) return undefined;
    const id = this.isApart
      ? await orIfStale(dataSource.runBatched('write', insert).then(firstValue))
      : (await this.runHere(insert))[0]?.[0];
    return id === undefined ? undefined : Object.assign(row, { id });
  }

  /**
   * Changes a row in a transaction, as `update` does, and runs a second statement together with it.
   * @returns whether there is such a row; undefined where TypeORM has to do it
   */
  async updateWith<Entity extends ObjectLiteral>(
    target: EntityTarget<Entity>,
    id: unknown,
    changes: ObjectLiteral,
    followUp: FollowUp,
  ): Promise<boolean | undefined> {
    const update = (this.dataSource as ServiceDataSource).plainTable(target)?.update(id, changes, followUp);
    return update && (await this.runHere(update)).length > 0;
  }

  private async fastRows<Entity extends ObjectLiteral>(
    target: EntityTarget<Entity>,
    options: FindManyOptions<Entity>,
  ): Promise<Entity[] | undefined> {
    const dataSource = this.dataSource as ServiceDataSource; // which has made this manager
    const table = dataSource.plainTable(target);
    const select = table?.select(options, this.queryRunner?.isTransactionActive === true);
    if (!select) return undefined;
    const rows = this.isApart
      ? await orIfStale(dataSource.runBatched('read', select))
      : { parsers: [], rows: await this.runHere(select) };
    return rows && (table?.entities(rows) as Entity[]);
  }

  /** On the connection of the manager, or in the transaction that it belongs to. @returns the values of each row */
  private async runHere({ statement, values }: PlainStatement): Promise<unknown[][]> {
    const rows = await this.query<object[]>(statement.text, [...values]);
    return rows.map((row) => Object.values(row) as unknown[]);
  }

  /** Whether statements run outside of every transaction, on any connection. */
  private get isApart(): boolean {
    return !this.queryRunner && !runningTransaction(this.dataSource);
  }
}

/** @returns undefined for a prepared statement that PostgreSQL no longer runs */
async function orIfStale<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (isStale(error)) return undefined;
    throw error;
  }
}

/** The parsed value of a statement that returns one. */
function firstValue({ parsers: [parse], rows: [row] }: RawRows): unknown {
  return parse?.(row?.[0] as string);
}
