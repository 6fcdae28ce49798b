// unit-of-work/ writes a row and its event, both or neither. Their SQL is in `statements`.

import { Injectable } from '@nestjs/common';
import {
  DataSource,
  type DeepPartial,
  type EntityManager,
  EntityNotFoundError,
  type EntityTarget,
  type FindManyOptions,
  type FindOptionsWhere,
} from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import { Clock } from '../../kernel/clock/clock.js';
import {
  EntityStatements,
  type EventOfRow,
  rowsOfStatement,
  type Updated,
} from '../../data/statements/entity-statements.js';
import { findRows } from '../../data/statements/find.js';
import type { IsolationLevel } from '../../data/database/run-transaction.js';
import type { Int64 } from '../../kernel/json/int64.js';
import {
  type ChangeScope,
  insideTransaction,
  ofRequest,
  type RequestOptions,
  separateCommits,
} from './change-scope.js';
import { assertDeclared, eventData, type EventType, projectedMembers } from './event-type.js';
import { writeToOutbox } from './outbox.js';
import { assertNoListeners, assertProperties, isUnchanged, loadedRelations } from './row-changes.js';

interface Identified {
  id: Int64 | string;
}

/** The properties of a `PATCH`; absent or `undefined` ones do not change. */
type UpdateValues<Row> = { readonly [Name in keyof Row]?: Row[Name] | undefined };

/**
 * A unit of work: writes rows together with their events, both or neither. Each call is one of its own, but
 * within `transaction()`. Each promise resolves after
 * PostgreSQL has accepted both. In a handler with `@Idempotent()`, `@UnitOfWork()` gives one whose writes
 * commit together with the stored response.
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
   * Runs several reads and writes in one transaction. Inside the work of another `transaction` it is a
   * savepoint. While it runs in a handler, the handler's own unit of work refuses further calls.
   * @param work gets a unit of work of that transaction
   * @throws TransactionRolledBack if the work ignores that one of its writes or statements has failed, except
   *   that a row no longer exists
   */
  transaction<T>(work: (changes: Changes) => Promise<T>): Promise<T>;
  transaction<T>(isolation: IsolationLevel, work: (changes: Changes) => Promise<T>): Promise<T>;
  transaction<T>(
    ...args: [(changes: Changes) => Promise<T>] | [IsolationLevel, (changes: Changes) => Promise<T>]
  ): Promise<T> {
    const [isolation, work] = args.length === 2 ? args : [undefined, args[0]];
    return this.scope.transaction(isolation, (manager) =>
      insideTransaction(manager, (scope) => work(this.in(scope))),
    );
  }

  /**
   * Adds a row like `Repository.save`, with its cascades, but never overwrites one that exists.
   * @returns the row as PostgreSQL has stored it
   * @throws QueryFailedError if the given key exists already
   * @throws EntityPropertyNotFoundError if the entity has no property for a value, unless that is of an
   *   instance of the entity
   */
  insert<Row extends Identified>(
    target: EntityTarget<Row>,
    values: DeepPartial<NoInfer<Row>>,
    type: EventType<Row>,
  ): Promise<Row> {
    return this.scope.begin(async () => {
      const [row] = await this.insertRows(target, [values], type);
      return row as Row; // as many as were given
    });
  }

  /**
   * Adds rows like `insert`, all or none, each with its event, in one transaction: a hundred rows take a
   * statement.
   * @returns the rows as PostgreSQL has stored them, in the order given, which is that of their events, too
   * @throws QueryFailedError if the given key of a row exists already. PostgreSQL names it in
   *   `driverError.detail`
   */
  insertAll<Row extends Identified>(
    target: EntityTarget<Row>,
    values: readonly DeepPartial<NoInfer<Row>>[],
    type: EventType<Row>,
  ): Promise<Row[]> {
    return this.scope.begin(() => this.insertRows(target, values, type));
  }

  private async insertRows<Row extends Identified>(
    target: EntityTarget<Row>,
    values: readonly DeepPartial<Row>[],
    type: EventType<Row>,
  ): Promise<Row[]> {
    assertDeclared(type);
    for (const one of values) assertProperties(this.dataSource.getMetadata(target), one);
    const rows = values.map((one) => this.manager.create(target, one));
    const statements = EntityStatements.of(this.dataSource, target);
    const event = statements && this.eventOfRow(statements, type);
    const single = rows.length === 1 ? statements?.insert(rows, event) : undefined;
    return this.scope.write(single !== undefined && event !== undefined, async (manager) => {
      const stored: Row[] = [];
      for (const part of partsOf(rows, rowsOfStatement(this.dataSource.getMetadata(target)))) {
        const insert = single ?? statements?.insert(part, event);
        const inserted =
          statements && insert
            ? await statements.run(manager, insert)
            : await insertByTypeOrm(manager, target, part);
        if (inserted.length !== part.length) throw new Error('A trigger of the table has refused a row.');
        if (!insert || !event)
          await this.recordOf(
            manager,
            type,
            inserted.map((row) => eventData(type, row, row)),
          );
        stored.push(...inserted);
      }
      return stored;
    });
  }

  /**
   * Changes a row like `Repository.update`. `undefined` values do not change; all others are written, also if
   * the row has them already. There is no event if PostgreSQL has stored the row as it was, but for update
   * date and version.
   * @param row gives the key. What it was before, PostgreSQL says. Lock it first for rules of your own, and so
   *   that its events are in the order of its changes
   * @returns the row as PostgreSQL has stored it, before triggers that run after the update
   * @throws EntityNotFoundError if the row no longer exists
   * @throws TypeError if the entity has methods with `@BeforeUpdate()` or the like, which would not run
   */
  update<Row extends Identified>(
    target: EntityTarget<Row>,
    row: Row,
    values: UpdateValues<NoInfer<Row>>,
    type: EventType<Row>,
  ): Promise<Row> {
    const given = definedOf(values);
    return this.begin(async (manager) => {
      assertNoListeners(this.dataSource.getMetadata(target), given);
      if (Object.keys(given).length === 0) return findOrFail(manager, target, keyOf(manager, target, row));
      const { before, after, isChanged } = await update(manager, target, row, given);
      if (isChanged) await this.recordOf(manager, type, [eventData(type, after, before)]);
      return after;
    });
  }

  /**
   * Removes a row like `Repository.delete`. The event has the row as PostgreSQL had stored it.
   * @param row gives the key
   * @throws EntityNotFoundError if the row no longer exists
   * @throws TypeError if the entity has methods with `@BeforeRemove()` or `@AfterRemove()`, which would not
   *   run
   */
  delete<Row extends Identified>(target: EntityTarget<Row>, row: Row, type: EventType<Row>): Promise<void> {
    return this.begin(async (manager) => {
      assertNoListeners(this.dataSource.getMetadata(target));
      const deleted = await remove(manager, target, row);
      if (!deleted) throw new EntityNotFoundError(target, keyOf(manager, target, row));
      await this.recordOf(manager, type, [eventData(type, deleted, deleted)]);
    });
  }

  /**
   * Records an event for a change that the other methods do not cover, in the change's transaction. Call it
   * after the change: the lock on the changed row keeps that row's events in commit order.
   * @throws Error outside a transaction, because the change could be committed without its event
   */
  record<Data extends object>(
    type: Pick<EventType<never, Data>, 'name' | 'version'>,
    data: Data,
  ): Promise<void> {
    return this.scope.begin(async () => {
      if (!this.scope.isTransaction || this.manager.queryRunner?.isTransactionActive !== true)
        throw new Error(`The event ${type.name} is recorded outside a transaction`);
      await this.recordOf(this.manager, type, [data]);
    });
  }

  /** Begins a write of several statements. */
  private begin<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.scope.begin(() => this.scope.write(false, work));
  }

  private recordOf(
    manager: EntityManager,
    type: Pick<EventType<never>, 'name' | 'version'>,
    data: readonly object[],
  ): Promise<void> {
    return writeToOutbox(manager, type, this.now(), data);
  }

  /** The event of a new row if PostgreSQL can make it. */
  private eventOfRow<Row extends Identified>(
    statements: EntityStatements<Row>,
    type: EventType<Row>,
  ): EventOfRow | undefined {
    const members = projectedMembers(type);
    if (!members || !statements.canMake(members)) return undefined;
    return { type: type.name, version: type.version, occurredAt: this.now(), members };
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

const definedOf = <Row extends object>(values: UpdateValues<Row>): Partial<Row> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<Row>;

/** Updates a row. @throws EntityNotFoundError if it no longer exists */
async function update<Row extends Identified>(
  manager: EntityManager,
  target: EntityTarget<Row>,
  row: Row,
  values: Partial<Row>,
): Promise<Updated<Row>> {
  const key = keyOf(manager, target, row);
  const statements = EntityStatements.of(manager.dataSource, target);
  const prepared = statements?.update(key, values);
  if (!statements || !prepared) return updateByTypeOrm(manager, target, row, values);
  const updated = await statements.runUpdate(manager, prepared);
  return updated ?? refusedUpdate(await findOrFail(manager, target, key));
}

/** What an update has done that a trigger has refused. */
const refusedUpdate = <Row>(row: Row): Updated<Row> => ({ before: row, after: row, isChanged: false });

async function updateByTypeOrm<Row extends Identified>(
  manager: EntityManager,
  target: EntityTarget<Row>,
  row: Row,
  values: Partial<Row>,
): Promise<Updated<Row>> {
  const key = keyOf(manager, target, row);
  const metadata = manager.dataSource.getMetadata(target);
  const relations = loadedRelations(metadata, row);
  const before = await findOrFail(manager, target, key, { relations, lock: { mode: 'for_no_key_update' } });
  const { affected } = await manager.update(target, key, values as QueryDeepPartialEntity<Row>);
  if (affected === 0) return refusedUpdate(before);
  const after = await find(manager, target, keyOf(manager, target, { ...row, ...values }), { relations });
  if (!after) throw new Error('The row cannot be read after its update.');
  return { before, after, isChanged: !isUnchanged(metadata, before, after, values) };
}

/** Deletes a row. @returns it as it was; undefined if PostgreSQL has deleted none */
async function remove<Row extends Identified>(
  manager: EntityManager,
  target: EntityTarget<Row>,
  row: Row,
): Promise<Row | undefined> {
  const key = keyOf(manager, target, row);
  const statements = EntityStatements.of(manager.dataSource, target);
  const prepared = statements?.delete(key);
  if (statements && prepared) return (await statements.run(manager, prepared))[0];
  const relations = loadedRelations(manager.dataSource.getMetadata(target), row);
  const stored = await find(manager, target, key, { relations, lock: { mode: 'pessimistic_write' } });
  const { affected } = await manager.delete(target, key);
  return affected === 0 ? undefined : stored;
}

/** What is read of a row besides its columns and its eager relations. */
type Reading<Row extends Identified> = Pick<FindManyOptions<Row>, 'relations' | 'lock'>;

/** The row as PostgreSQL has stored it, also if it is soft-deleted. @throws EntityNotFoundError */
async function findOrFail<Row extends Identified>(
  manager: EntityManager,
  target: EntityTarget<Row>,
  where: FindOptionsWhere<Row>,
  options?: Reading<Row>,
): Promise<Row> {
  const row = await find(manager, target, where, options);
  if (!row) throw new EntityNotFoundError(target, where);
  return row;
}

async function find<Row extends Identified>(
  manager: EntityManager,
  target: EntityTarget<Row>,
  where: FindOptionsWhere<Row>,
  options: Reading<Row> = {},
): Promise<Row | undefined> {
  const repository = manager.getRepository(target);
  const [row] = await findRows(repository, { where, ...options });
  if (row || !repository.metadata.deleteDateColumn) return row;
  const [deleted] = await findRows(repository, { where, ...options, withDeleted: true });
  return deleted;
}

/** @returns the rows that PostgreSQL has stored */
async function insertByTypeOrm<Row extends Identified>(
  manager: EntityManager,
  target: EntityTarget<Row>,
  rows: readonly Row[],
): Promise<Row[]> {
  const repository = manager.getRepository(target);
  const withoutKey = rows.filter((row) => !repository.hasId(row));
  for (const row of rows) if (!withoutKey.includes(row)) await insertWithKey(manager, target, row);
  if (withoutKey.length > 0) await manager.save(target, withoutKey);
  const stored: (Row | undefined)[] = [];
  for (const row of rows) stored.push(await find(manager, target, keyOf(manager, target, row)));
  return stored.filter((row) => row !== undefined);
}

/** Rows next to one another with values for the same members. */
function* partsOf<Row extends object>(rows: readonly Row[], size: number): Generator<Row[]> {
  const membersOf = (row: Row) =>
    Object.entries(row)
      .filter(([, value]) => value !== undefined)
      .map(([name]) => name)
      .sort()
      .join();
  let part: Row[] = [];
  for (const row of rows) {
    const [first] = part;
    if (first && (part.length >= size || membersOf(first) !== membersOf(row))) {
      yield part;
      part = [];
    }
    part.push(row);
  }
  if (part.length > 0) yield part;
}

/**
 * `save` would update a row that has the key already. It runs afterwards, for relations that refer to the new
 * row.
 */
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
