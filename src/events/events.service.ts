import { Injectable } from '@nestjs/common';
import type { DeepPartial, EntityManager, FindOptionsWhere, Repository } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import { Clock } from '../kernel/clock/clock.js';
import { viaFastPath } from '../database/pipeline/fast-path.js';
import type { Int64 } from '../kernel/json/int64.js';
import type { Page } from '../kernel/pagination/page.js';
import { EventResponse } from './dto/event.response.js';
import type { ListEventsQuery } from './dto/list-events.query.js';
import { EventFeed } from './event-feed.js';
import { EventSequencer } from './event-sequencer.js';
import type { EventType } from './event-type.js';
import { expectTransaction, insertedEvent, updatedEvent, writeToOutbox } from './outbox.js';

/** Records events in the transaction of the change, and lists them. */
@Injectable()
export class EventsService {
  constructor(
    private readonly clock: Clock,
    private readonly feed: EventFeed,
    private readonly sequencer: EventSequencer,
  ) {}

  /** Moves what is committed before the call into the feed, up to a limit. */
  async catchUp(): Promise<void> {
    await this.sequencer.catchUp();
  }

  /** The id of the newest event of the feed: events that are committed after the call get higher ids. */
  async newestId(): Promise<Int64> {
    await this.sequencer.catchUp();
    return this.feed.newestId();
  }

  /** @throws InvalidCursor, EventsExpired */
  async list(query: ListEventsQuery): Promise<Page<EventResponse>> {
    const page = await this.feed.page(query);
    return page.map((event) => EventResponse.from(event));
  }

  /**
   * Records an event in the transaction of `manager`. Call it after the change: the lock of the changed row keeps
   * the events of one row in commit order.
   * @throws Error outside a transaction
   */
  record<Data extends object>(manager: EntityManager, type: EventType<Data>, data: Data): Promise<void> {
    return writeToOutbox(manager, type, new Date(this.clock.now()), data);
  }

  /**
   * Adds a row, as `Repository.save` does, and records it: both or neither.
   * @param properties of the row, which make the event's data
   */
  insert<Row extends { id: Int64 }, Property extends keyof Row & string>(
    repository: Repository<Row>,
    values: Partial<Row>,
    type: EventType<Pick<Row, Property>>,
    properties: readonly Property[],
  ): Promise<Row> {
    const event = insertedEvent(repository.metadata, type, properties, new Date(this.clock.now()));
    return viaFastPath(
      repository,
      (table) => event && table.insert(values, event),
      () => this.save(repository, values, type, properties),
    );
  }

  /**
   * Changes a row, as `Repository.update` does, and records an event, in the transaction of the repository.
   * @throws Error outside a transaction
   */
  async update<Row extends { id: Int64 }, Data extends object>(
    repository: Repository<Row>,
    id: Int64,
    changes: Partial<Row>,
    type: EventType<Data>,
    data: Data,
  ): Promise<void> {
    expectTransaction(repository.manager, type.name);
    await viaFastPath<Row, unknown>(
      repository,
      (table) => table.update(id, changes, updatedEvent(type, new Date(this.clock.now()), data)),
      async () => {
        await repository.update({ id } as FindOptionsWhere<Row>, changes as QueryDeepPartialEntity<Row>);
        await this.record(repository.manager, type, data);
      },
    );
  }

  private save<Row extends { id: Int64 }, Property extends keyof Row & string>(
    { manager, target }: Repository<Row>,
    values: Partial<Row>,
    type: EventType<Pick<Row, Property>>,
    properties: readonly Property[],
  ): Promise<Row> {
    return manager.transaction(async (transaction) => {
      const repository = transaction.getRepository(target);
      const row = await repository.save(repository.create(values as DeepPartial<Row>));
      const data = Object.fromEntries(properties.map((property) => [property, row[property]]));
      await this.record(transaction, type, data as Pick<Row, Property>);
      return row;
    });
  }
}
