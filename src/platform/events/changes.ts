import { Injectable } from '@nestjs/common';
import {
  DataSource,
  type DeepPartial,
  type EntityManager,
  EntityNotFoundError,
  type EntityTarget,
  type FindOptionsWhere,
} from 'typeorm';
import { isDeepStrictEqual } from 'node:util';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import { Clock } from '../clock/clock.js';
import { EntityStatements } from '../database/entity-statements.js';
import { findById } from '../database/find.js';
import { TransactionRolledBack } from '../database/pool/service-client.js';
import type { IsolationLevel, RunTransaction } from '../database/run-transaction.js';
import type { Int64 } from '../json/int64.js';
import type { EventType } from './event-type.js';
import { eventOfInsert, writeToOutbox } from './outbox.js';

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
  private readonly run: RunTransaction;
  private isAlone = true;

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {
    this.run = (isolation, work) =>
      isolation === undefined ? dataSource.transaction(work) : dataSource.transaction(isolation, work);
  }

  /** For reads. Inside the work of `transaction` they run in that transaction, and may lock rows. */
  get manager(): EntityManager {
    return this.dataSource.manager;
  }

  /** A unit of work whose transactions are run by `run`. */
  within(run: RunTransaction): Changes {
    return Object.assign(new Changes(this.dataSource, this.clock), { run, isAlone: false });
  }

  /**
   * Runs several reads and writes in one transaction. Inside the work of another `transaction` it is a savepoint.
   * @param work gets a unit of work of that transaction. With an `Idempotency-Key` it must not await a call of the outer one.
   */
  transaction<T>(work: (changes: Changes) => Promise<T>): Promise<T>;
  transaction<T>(isolation: IsolationLevel, work: (changes: Changes) => Promise<T>): Promise<T>;
  transaction<T>(
    ...args: [(changes: Changes) => Promise<T>] | [IsolationLevel, (changes: Changes) => Promise<T>]
  ): Promise<T> {
    const [isolation, work] = args.length === 2 ? args : [undefined, args[0]];
    return this.run(isolation, (manager) => work(this.inside(manager)));
  }

  /** Adds a row like `Repository.save`. @returns the row as PostgreSQL has stored it */
  async insert<Row extends Identified>(
    target: EntityTarget<Row>,
    values: DeepPartial<NoInfer<Row>>,
    type: EventType<Row>,
  ): Promise<Row> {
    const row = this.manager.create(target, values);
    const statements = EntityStatements.of(this.dataSource, target);
    const isOneStatement = statements?.isStoredVerbatim(row) === true;
    if (this.isAlone && isOneStatement) return this.insertVerbatim(statements, row, type);
    return this.inTransaction(async (changes) => {
      if (isOneStatement) return changes.insertVerbatim(statements, row, type);
      const { id } = await changes.manager.save(target, row);
      const saved = await findById(changes.manager.getRepository(target), id);
      if (!saved) throw new EntityNotFoundError(target, { id });
      await changes.recordOf(type, saved, saved);
      return saved;
    });
  }

  /**
   * Changes a row like `Repository.update`. `undefined` values do not change; if nothing changes, nothing is written.
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
    return this.inTransaction(async (changes) => {
      const where = { id: row.id } as FindOptionsWhere<Row>;
      const statements = EntityStatements.of(this.dataSource, target);
      const update = statements?.update(row.id, given);
      if (!update) await changes.manager.update(target, where, given as QueryDeepPartialEntity<Row>);
      const [changed] =
        statements && update
          ? await statements.run(changes.manager, update)
          : await changes.manager.find(target, { where });
      if (!changed) throw new EntityNotFoundError(target, where);
      await changes.recordOf(type, changed, row);
      return changed;
    });
  }

  /**
   * Removes a row like `Repository.delete`.
   * @param row its current state; lock it first
   * @throws EntityNotFoundError if the row no longer exists
   */
  delete<Row extends Identified>(target: EntityTarget<Row>, row: Row, type: EventType<Row>): Promise<void> {
    return this.inTransaction(async (changes) => {
      const where = { id: row.id } as FindOptionsWhere<Row>;
      const { affected } = await changes.manager.delete(target, where);
      if (affected === 0) throw new EntityNotFoundError(target, where);
      await changes.recordOf(type, row, row);
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
    if (this.manager.queryRunner?.isTransactionActive !== true)
      throw new Error(`The event ${type.name} is recorded outside a transaction`);
    await writeToOutbox(this.manager, type, this.now(), data);
  }

  private recordOf<Row extends Identified>(type: EventType<Row>, row: Row, before: Row): Promise<void> {
    return this.record(type, { id: row.id, ...type.data.data(row, before) });
  }

  private async insertVerbatim<Row extends Identified>(
    statements: EntityStatements<Row>,
    row: Row,
    type: EventType<Row>,
  ): Promise<Row> {
    const insert = statements.insert(row, eventOfInsert(type, row, this.now()));
    const [stored] = await statements.run(this.manager, insert);
    if (!stored) throw new Error('A trigger refused the row.');
    return stored;
  }

  /** Runs work in the running transaction, or in one of its own. */
  private inTransaction<T>(work: (changes: Changes) => Promise<T>): Promise<T> {
    return this.manager.queryRunner?.isTransactionActive === true ? work(this) : this.transaction(work);
  }

  private inside(manager: EntityManager): Changes {
    const savepoint: RunTransaction = async (isolation, work) => {
      // After a failed statement TypeORM can set no savepoint and rolls back; it would begin another transaction.
      if (manager.queryRunner?.isTransactionActive !== true) throw new TransactionRolledBack();
      if (isolation !== undefined)
        throw new Error(`A transaction is running: its isolation level cannot become ${isolation}.`);
      return manager.transaction(work);
    };
    return Object.defineProperty(this.within(savepoint), 'manager', { value: manager });
  }

  private now(): Date {
    return new Date(this.clock.now());
  }
}

const withoutUndefined = (values: object): object =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

const differs = <Row extends object>(row: Row, values: Partial<Row>): boolean =>
  (Object.keys(values) as (keyof Row)[]).some((name) => !isDeepStrictEqual(row[name], values[name]));
