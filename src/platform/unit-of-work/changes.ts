import { Injectable } from '@nestjs/common';
import {
  DataSource,
  type DeepPartial,
  type EntityManager,
  EntityNotFoundError,
  type EntityTarget,
  type FindOptionsWhere,
} from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import { Clock } from '../clock/clock.js';
import { changeCondition } from '../statements/changed-columns.js';
import { type Companion, EntityStatements } from '../statements/entity-statements.js';
import type { NamedStatement } from '../statements/run-named.js';
import { findRows } from '../statements/find.js';
import type { IsolationLevel } from '../database/run-transaction.js';
import type { Int64 } from '../json/int64.js';
import {
  type ChangeScope,
  insideTransaction,
  ofRequest,
  type RequestOptions,
  separateCommits,
} from './change-scope.js';
import { eventData, type EventType } from './event-type.js';
import { eventOfInsert, eventOfUpdate, writeToOutbox } from './outbox.js';

interface Identified {
  id: Int64 | string;
}

/** The properties of a `PATCH`; absent or `undefined` ones do not change. */
type UpdateValues<Row> = { readonly [Name in keyof Row]?: Row[Name] | undefined };

/**
 * A unit of work: writes rows together with their events, both or neither. Each promise resolves after PostgreSQL has accepted
 * both. In a handler with `@Idempotent()`, `@UnitOfWork()` gives one whose writes commit together with the stored response.
 */
@Injectable()
export class Changes {
  private scope: ChangeScope;

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {
    this.scope = separateCommits(dataSource);
  }

  /** For reads. Inside the work of `transaction` they run in that transaction, and may lock rows. */
  get manager(): EntityManager {
    return this.scope.manager;
  }

  /** The unit of work of one request. */
  ofRequest(options: RequestOptions): Changes {
    return this.in(ofRequest(this.dataSource, options));
  }

  /**
   * Runs several reads and writes in one transaction. Inside the work of another `transaction` it is a savepoint. While it runs
   * in a handler, the handler's own unit of work refuses further calls.
   * @param work gets a unit of work of that transaction
   * @throws TransactionRolledBack if the work ignores that one of its statements has failed
   */
  transaction<T>(work: (changes: Changes) => Promise<T>): Promise<T>;
  transaction<T>(isolation: IsolationLevel, work: (changes: Changes) => Promise<T>): Promise<T>;
  transaction<T>(
    ...args: [(changes: Changes) => Promise<T>] | [IsolationLevel, (changes: Changes) => Promise<T>]
  ): Promise<T> {
    const [isolation, work] = args.length === 2 ? args : [undefined, args[0]];
    return this.scope.transaction(isolation, (manager) => work(this.in(insideTransaction(manager))));
  }

  /**
   * Adds a row like `Repository.save`, with its cascades, but never overwrites one that exists.
   * @returns the row as PostgreSQL has stored it
   * @throws QueryFailedError if the given key exists already
   */
  async insert<Row extends Identified>(
    target: EntityTarget<Row>,
    values: DeepPartial<NoInfer<Row>>,
    type: EventType<Row>,
  ): Promise<Row> {
    const row = this.manager.create(target, values);
    const statements = EntityStatements.of(this.dataSource, target);
    let asked: Promise<NamedStatement | undefined> | undefined;
    const insertWithEvent = () => (asked ??= this.insertWithEvent(statements, row, type));
    const isOneStatement = async () => (await insertWithEvent()) !== undefined;
    return this.scope.write(isOneStatement, async (manager) => {
      const insert = await insertWithEvent();
      if (statements && insert) {
        const [stored] = await statements.run(manager, insert);
        if (!stored) throw new Error('A rule of the table refused the row.');
        return stored;
      }
      if (manager.getRepository(target).hasId(row)) await insertWithKey(manager, target, row);
      else await manager.save(target, row);
      const saved = await stored(manager, target, keyOf(manager, target, row));
      await this.recordOf(manager, type, saved, saved);
      return saved;
    });
  }

  /**
   * Changes a row like `Repository.update`. `undefined` values do not change. If PostgreSQL would store what it has already,
   * nothing is written, neither an event nor a new update date or version.
   * @param row its current state; lock it first, so that its events are in the order of its changes
   * @returns the row as PostgreSQL has stored it
   * @throws EntityNotFoundError if the row no longer exists
   */
  update<Row extends Identified>(
    target: EntityTarget<Row>,
    row: Row,
    values: UpdateValues<NoInfer<Row>>,
    type: EventType<Row>,
  ): Promise<Row> {
    const given = withoutUndefined(values) as Partial<Row>;
    if (!differs(row, given)) return Promise.resolve(row);
    return this.scope.write(severalStatements, async (manager) => {
      const key = keyOf(manager, target, row);
      const changed = await this.updated(manager, target, key, row, given, type);
      if (!changed) return stored(manager, target, key);
      if (!changed.isAccompanied) await this.recordOf(manager, type, changed.row, row);
      return changed.row;
    });
  }

  /**
   * Removes a row like `Repository.delete`.
   * @param row its current state; lock it first
   * @throws EntityNotFoundError if the row no longer exists
   */
  delete<Row extends Identified>(target: EntityTarget<Row>, row: Row, type: EventType<Row>): Promise<void> {
    return this.scope.write(severalStatements, async (manager) => {
      const key = keyOf(manager, target, row);
      const { affected } = await manager.delete(target, key);
      if (affected === 0) throw new EntityNotFoundError(target, key);
      await this.recordOf(manager, type, row, row);
    });
  }

  /**
   * Records an event for a change that the other methods do not cover, in the change's transaction. Call it after the
   * change: the lock on the changed row keeps that row's events in commit order.
   * @throws Error outside a transaction, because the change could be committed without its event
   */
  async record<Data extends object>(
    type: Pick<EventType<never, Data>, 'name' | 'version'>,
    data: Data,
  ): Promise<void> {
    if (!this.scope.isTransaction || this.manager.queryRunner?.isTransactionActive !== true)
      throw new Error(`The event ${type.name} is recorded outside a transaction`);
    await writeToOutbox(this.manager, type, this.now(), data);
  }

  private recordOf<Row extends Identified>(
    manager: EntityManager,
    type: EventType<Row>,
    row: Row,
    before: Row,
  ): Promise<void> {
    return writeToOutbox(manager, type, this.now(), eventData(type, row, before));
  }

  /** @returns undefined unless one statement can write the row, as it is given, with its event */
  private async insertWithEvent<Row extends Identified>(
    statements: EntityStatements<Row> | undefined,
    row: Row,
    type: EventType<Row>,
  ): Promise<NamedStatement | undefined> {
    if (statements?.isStoredVerbatim(row) !== true || !(await statements.isLeftAlone(this.manager)))
      return undefined;
    const whole = statements.withNulls(row);
    const event = eventOfInsert(type, whole, this.now());
    return event && statements.insert(whole, event);
  }

  /** @returns the changed row, and whether its event is written; undefined if it does not exist, or has these values already */
  private async updated<Row extends Identified>(
    manager: EntityManager,
    target: EntityTarget<Row>,
    key: FindOptionsWhere<Row>,
    row: Row,
    values: Partial<Row>,
    type: EventType<Row>,
  ): Promise<{ readonly row: Row; readonly isAccompanied: boolean } | undefined> {
    const statements = EntityStatements.of(this.dataSource, target);
    if (statements && (await statements.isLeftAlone(manager))) {
      const update = statements.update(key, values, this.expected(statements, row, values, type));
      if (update) return statements.runUpdate(manager, update);
    }
    const { sql, parameters } = changeCondition(this.dataSource.getMetadata(target), values);
    const { affected } = await manager
      .createQueryBuilder()
      .update(target)
      .set(values as QueryDeepPartialEntity<Row>)
      .where(key)
      .andWhere(sql, parameters)
      .execute();
    if (affected === 0) return undefined;
    return { row: await stored(manager, target, key), isAccompanied: false };
  }

  /** What an update should lead to, with the event of that; undefined if only PostgreSQL can tell. */
  private expected<Row extends Identified>(
    statements: EntityStatements<Row>,
    before: Row,
    values: Partial<Row>,
    type: EventType<Row>,
  ): { readonly row: Row; readonly companion: Companion } | undefined {
    const row = statements.changed(before, values);
    const companion = row && eventOfUpdate(type, row, before, this.now());
    return companion && { row, companion };
  }

  private in(scope: ChangeScope): Changes {
    const changes = new Changes(this.dataSource, this.clock);
    changes.scope = scope;
    return changes;
  }

  private now(): Date {
    return new Date(this.clock.now());
  }
}

const severalStatements = (): boolean => false;

const withoutUndefined = (values: object): object =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** Whether an update may change the row. An object may have been changed in place, or be stored in another form. */
const differs = <Row extends object>(row: Row, values: Partial<Row>): boolean =>
  (Object.keys(values) as (keyof Row)[]).some(
    (name) => row[name] !== values[name] || (typeof row[name] === 'object' && row[name] !== null),
  );

/** Its whole primary key, which may have more columns than `id`. @throws TypeError if the row lacks one */
function keyOf<Row extends Identified>(
  { dataSource }: EntityManager,
  target: EntityTarget<Row>,
  row: Row,
): FindOptionsWhere<Row> {
  const metadata = dataSource.getMetadata(target);
  const key = metadata.getEntityIdMap(row);
  if (!key) throw new TypeError(`The ${metadata.name} lacks its primary key.`);
  return key as FindOptionsWhere<Row>;
}

/** The row as PostgreSQL has stored it, also if it is soft-deleted. @throws EntityNotFoundError */
async function stored<Row extends Identified>(
  manager: EntityManager,
  target: EntityTarget<Row>,
  where: FindOptionsWhere<Row>,
): Promise<Row> {
  const [row] = await findRows(manager.getRepository(target), { where });
  if (row) return row;
  if (!manager.dataSource.getMetadata(target).deleteDateColumn) throw new EntityNotFoundError(target, where);
  return manager.findOneOrFail(target, { where, withDeleted: true });
}

/** `save` would update a row that has the key already. It runs afterwards, for relations that refer to the new row. */
async function insertWithKey<Row extends Identified>(
  manager: EntityManager,
  target: EntityTarget<Row>,
  row: Row,
): Promise<void> {
  const { relations } = manager.dataSource.getMetadata(target);
  for (const relation of relations) {
    const parent = relation.getEntityValue(row) as object | null | undefined;
    if (relation.isOwning && !relation.isManyToMany && relation.isCascadeInsert && parent)
      await manager.save(relation.type, parent);
  }
  await manager.insert(target, row as QueryDeepPartialEntity<Row>);
  if (relations.length > 0) await manager.save(target, row);
}
