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
import { ServiceEntityManager } from '../database/service-data-source.js';
import { Clock } from '../kernel/clock/clock.js';
import type { Int64 } from '../kernel/json/int64.js';
import type { EventType } from './event-type.js';
import { eventOf, expectTransaction, insertedEvent, writeToOutbox } from './outbox.js';

interface Identified {
  id: Int64;
}

/** The properties of a `PATCH`; absent or `undefined` ones do not change. */
type UpdateValues<Row> = { readonly [Name in keyof Row]?: Row[Name] | undefined };

/**
 * Writes rows together with their events: both or neither. Each promise resolves after PostgreSQL has accepted both.
 */
@Injectable()
export class Changes {
  private manager: EntityManager;

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {
    this.manager = dataSource.manager;
  }

  /** Returns a `Changes` that writes in the transaction of `manager`. */
  in(manager: EntityManager): Changes {
    return Object.assign(new Changes(this.dataSource, this.clock), { manager });
  }

  /** Adds a row like `Repository.save`. @returns the row, including values set by PostgreSQL */
  async insert<Row extends Identified>(
    target: EntityTarget<Row>,
    values: DeepPartial<NoInfer<Row>>,
    type: EventType<Row>,
  ): Promise<Row> {
    const followUp = (row: Row) => insertedEvent(type, row, this.now());
    const { manager } = this;
    const inserted =
      manager instanceof ServiceEntityManager
        ? await manager.insertWith(target, values, followUp)
        : undefined;
    if (inserted) return inserted;
    return this.together(async (changes) => {
      const row = await changes.manager.save(target, changes.manager.create(target, values));
      await changes.record(type, type.data.from(row, row));
      return row;
    });
  }

  /**
   * Changes a row like `Repository.update`. `undefined` values do not change; if nothing changes, nothing is written.
   * @param row its current state; lock it first, so that its events are in the order of its changes
   * @returns the row after the change
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
    return this.together(async (changes) => {
      const { manager } = changes;
      const where = { id: row.id } as FindOptionsWhere<Row>;
      const changed = Object.assign(Object.create(Object.getPrototypeOf(row) as object), row, given) as Row;
      const data = type.data.from(changed, row);
      let isThere =
        manager instanceof ServiceEntityManager
          ? await manager.updateWith(target, row.id, given, eventOf(type, data, this.now()))
          : undefined;
      if (isThere === undefined) {
        const { affected } = await manager.update(target, where, given as QueryDeepPartialEntity<Row>);
        isThere = affected !== 0;
        if (isThere) await changes.record(type, data);
      }
      if (!isThere) throw new EntityNotFoundError(target, where);
      return changed;
    });
  }

  /**
   * Removes a row like `Repository.delete`.
   * @param row its current state; lock it first
   * @throws EntityNotFoundError if the row no longer exists
   */
  delete<Row extends Identified>(target: EntityTarget<Row>, row: Row, type: EventType<Row>): Promise<void> {
    return this.together(async (changes) => {
      const where = { id: row.id } as FindOptionsWhere<Row>;
      const { affected } = await changes.manager.delete(target, where);
      if (affected === 0) throw new EntityNotFoundError(target, where);
      await changes.record(type, type.data.from(row, row));
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
    expectTransaction(this.manager, type.name);
    await writeToOutbox(this.manager, type, this.now(), data);
  }

  private together<T>(work: (changes: Changes) => Promise<T>): Promise<T> {
    if (this.manager.queryRunner?.isTransactionActive) return work(this);
    return this.manager.transaction((manager) => work(this.in(manager)));
  }

  private now(): Date {
    return new Date(this.clock.now());
  }
}

const withoutUndefined = (values: object): object =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

const differs = <Row extends object>(row: Row, values: Partial<Row>): boolean =>
  (Object.keys(values) as (keyof Row)[]).some((name) => !isDeepStrictEqual(row[name], values[name]));
