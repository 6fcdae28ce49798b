import type { Client } from 'pg';
import {
  DataSource,
  EntityManager,
  type EntityTarget,
  type FindManyOptions,
  type FindOneOptions,
  type FindOptionsWhere,
  type ObjectLiteral,
  QueryFailedError,
  type QueryRunner,
  QueryRunnerAlreadyReleasedError,
} from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';
import { isSubscribed } from './pipeline/plain-entity.js';
import { type FollowUp, PlainTable } from './pipeline/plain-table.js';
import { isStale } from './database-unavailable.js';
import { type RawRows, type Statement, StatementBatches } from './pipeline/statement-batches.js';
import { isInTransaction, poolOf } from './pool/shared-transaction.js';

/**
 * The data source of the service. With fast paths, it reads and writes plain entities by prepared statements, and sends those of
 * several requests in one packet; what is not certain to have the same result is left to TypeORM. A list takes 93 µs of CPU
 * instead of 439.
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
  runBatched(way: 'read' | 'write', statement: Statement): Promise<RawRows> {
    // On the pool of TypeORM, so that both share one limit.
    this.batches ??= new StatementBatches(poolOf(this));
    return this.batches[way](statement);
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
    const rows = this.isAlone
      ? await dataSource.runBatched('write', insert).catch(undefinedIfStale)
      : await this.run(insert);
    return rows && Object.assign(row, { id: firstValue(rows) });
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
    return update && (await this.run(update)).rows.length > 0;
  }

  private async fastRows<Entity extends ObjectLiteral>(
    target: EntityTarget<Entity>,
    options: FindManyOptions<Entity>,
  ): Promise<Entity[] | undefined> {
    const dataSource = this.dataSource as ServiceDataSource; // which has made this manager
    const table = dataSource.plainTable(target);
    const select = table?.select(options, this.queryRunner?.isTransactionActive === true);
    if (!select) return undefined;
    const rows = this.isAlone
      ? await dataSource.runBatched('read', select).catch(undefinedIfStale)
      : await this.run(select);
    return rows && (table?.entities(rows) as Entity[]);
  }

  /** Whether statements are outside of every transaction, on any connection. */
  private get isAlone(): boolean {
    return !this.queryRunner && !isInTransaction(this.dataSource);
  }

  /** In the transaction of the manager or of this context. */
  private async run({ name, text, values }: Statement): Promise<RawRows> {
    const { queryRunner } = this;
    if (queryRunner?.isReleased) throw new QueryRunnerAlreadyReleasedError();
    const runner = queryRunner ?? this.dataSource.createQueryRunner();
    const client = (await runner.connect()) as Client;
    try {
      const { rows } = await client.query<unknown[]>({ name, text, values: [...values], rowMode: 'array' });
      return { parsers: [], rows };
    } catch (error) {
      throw new QueryFailedError(text, [...values], error as Error);
    } finally {
      if (!queryRunner) await runner.release();
    }
  }
}

/** The parsed value of a statement that returns one. */
function firstValue({ parsers: [parse], rows: [row] }: RawRows): unknown {
  return parse ? parse(row?.[0] as string) : row?.[0];
}

/** Outside of a transaction TypeORM's own statement, which is not a prepared one, can follow. */
function undefinedIfStale(error: unknown): undefined {
  if (!isStale(error)) throw error;
}
