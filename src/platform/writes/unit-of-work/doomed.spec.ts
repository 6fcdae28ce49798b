import 'reflect-metadata';
import { Column, DataSource, Entity, PrimaryGeneratedColumn, VersionColumn } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.js';
import { Clock } from '../../kernel/clock/clock.js';
import { minutes } from '../../kernel/clock/duration.js';
import { isDatabaseUnavailable } from '../../data/database/database-unavailable.js';
import { poolOptions } from '../../data/database/database.module.js';
import type { Int64 } from '../../kernel/json/int64.js';
import { Changes } from './changes.js';
import { declareEventType, eventType } from './event-type.js';
import { pick } from './pick.js';

/** Covered by prepared statements. */
@Entity('doomed_notes')
class Note {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id!: Int64;

  @Column('text')
  text!: string;
}

/** Left to TypeORM. */
@Entity('doomed_books')
class Book {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id!: Int64;

  @Column('text')
  text!: string;

  @VersionColumn()
  version!: number;
}

class NoteData {
  readonly id!: Int64;
  readonly text!: string;

  static readonly from = pick<Note, NoteData>('id', 'text');
}

class Failing {
  static from(): object {
    throw new Error('no data');
  }
}

const STORED = eventType<Note, NoteData>('doomed.stored', NoteData, { description: 'A note.' });
const FAILING = eventType<Note, object>('doomed.failing', Failing, { description: 'Fails.' });
const UNLISTED = { ...STORED, name: 'doomed.unlisted' };

let database: TestDatabase;
let dataSource: DataSource;
let changes: Changes;

beforeAll(async () => {
  declareEventType(STORED);
  declareEventType(FAILING);
  database = await createTestDatabase();
  dataSource = await new DataSource({
    ...poolOptions(database.url),
    connectTimeoutMS: minutes(2), // the machine may be busy
    entities: [Note, Book],
  }).initialize();
  for (const { query } of (await dataSource.driver.createSchemaBuilder().log()).upQueries)
    if (query.startsWith('CREATE TABLE "doomed_')) await dataSource.query(query);
  await dataSource.query(`
    CREATE FUNCTION doomed_refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RETURN CASE NEW.text WHEN 'refused' THEN NULL ELSE NEW END; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON doomed_notes FOR EACH ROW EXECUTE FUNCTION doomed_refuse()`);
  changes = new Changes(dataSource, new Clock());
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});
beforeEach(() => dataSource.query('TRUNCATE event_outbox, doomed_notes, doomed_books'));

const texts = async (Target: typeof Note = Note) =>
  (await dataSource.getRepository(Target).find({ order: { id: 'ASC' } })).map(({ text }) => text);
const countEvents = async () => (await dataSource.query<object[]>('SELECT FROM event_outbox')).length;

describe.each([
  ['by a prepared statement', Note],
  ['by TypeORM', Book],
])('a transaction in which a write has failed, %s,', (_, Target) => {
  it.each<[string, string, (inside: Changes, row: Note) => Promise<unknown>]>([
    ['insert', 'no data', (inside) => inside.insert(Target, { text: 'b' }, FAILING)],
    ['insertAll', 'no data', (inside) => inside.insertAll(Target, [{ text: 'b' }, { text: 'c' }], FAILING)],
    ['update', 'no data', (inside, row) => inside.update(Target, row, { text: 'b' }, FAILING)],
    ['delete', 'no data', (inside, row) => inside.delete(Target, row, FAILING)],
    ['record', 'No module lists', (inside) => inside.record(UNLISTED, {})],
    [
      'an update without a key',
      'lacks its primary key',
      (inside) => inside.update(Target, {} as Note, { text: 'b' }, STORED),
    ],
  ])('keeps nothing, although the error is caught: %s', async (_, message, write) => {
    const row = await changes.insert(Target, { text: 'a' }, STORED);
    const errors: unknown[] = [];
    const doomed = changes.transaction(async (inside) => {
      await inside.insert(Target, { text: 'before' }, STORED);
      await write(inside, row).catch((error: unknown) => errors.push(error));
      await inside.insert(Target, { text: 'after' }, STORED);
    });
    await expect(doomed).rejects.toThrow(
      'The transaction was rolled back because one of its writes had failed',
    );
    await expect(doomed).rejects.toMatchObject({ cause: errors[0] });
    expect(String(errors[0])).toContain(message);
    expect(await texts(Target)).toEqual(['a']);
    expect(await countEvents()).toBe(1);
  });

  it('keeps nothing of a savepoint alone', async () => {
    await changes.transaction(async (inside) => {
      await inside.insert(Target, { text: 'a' }, STORED);
      const nested = inside.transaction(async (nested) => {
        await nested.insert(Target, { text: 'b' }, FAILING).catch(() => undefined);
      });
      await expect(nested).rejects.toThrow('no data');
      await inside.insert(Target, { text: 'c' }, STORED);
    });
    expect(await texts(Target)).toEqual(['a', 'c']);
    expect(await countEvents()).toBe(2);
  });

  it('goes on where a row no longer exists: nothing was written', async () => {
    const gone = { id: 9_999, text: '' } as Note;
    await changes.transaction(async (inside) => {
      await inside.insert(Target, { text: 'a' }, STORED);
      for (const write of [
        inside.update(Target, gone, { text: 'b' }, STORED),
        inside.update(Target, gone, {}, STORED),
        inside.delete(Target, gone, STORED),
      ])
        await expect(write).rejects.toThrow('Could not find any entity');
    });
    expect(await texts(Target)).toEqual(['a']);
  });

  it('awaits what its work does not, and fails with it', async () => {
    const ended = await changes.transaction((inside) => {
      for (const text of ['a', 'b']) void inside.insert(Target, { text }, STORED);
      return Promise.resolve('ended');
    });
    expect([ended, await texts(Target)]).toEqual(['ended', ['a', 'b']]);
    const doomed = changes.transaction((inside) => {
      void inside.insert(Target, { text: 'c' }, FAILING);
      void inside.insert(Target, { text: 'd' }, STORED);
      return Promise.resolve();
    });
    await expect(doomed).rejects.toThrow('no data');
    expect([await texts(Target), await countEvents()]).toEqual([['a', 'b'], 2]);
  });

  it('fails with the error of its work, and no begun write goes on outside of it', async () => {
    const row = await changes.insert(Target, { text: 'a' }, STORED);
    const writes: Promise<unknown>[] = [];
    const failed = changes.transaction((inside) => {
      for (const text of ['b', 'c']) writes.push(inside.update(Target, row, { text }, STORED));
      return Promise.reject(new Error('of the work'));
    });
    await expect(failed).rejects.toThrow('of the work');
    await Promise.allSettled(writes);
    expect([await texts(Target), await countEvents()]).toEqual([['a'], 1]);
  });

  it('refuses writes after its end', async () => {
    let late: Changes | undefined;
    await changes.transaction(async (inside) => {
      await inside.transaction((nested) => {
        late = nested;
        return Promise.resolve();
      });
      await expect(late?.insert(Target, { text: 'a' }, STORED)).rejects.toThrow('The transaction has ended');
    });
    expect(await texts(Target)).toEqual([]);
  });
});

describe('a transaction', () => {
  it('keeps nothing of insertAll if a trigger has refused one of its rows', async () => {
    const doomed = changes.transaction(async (inside) => {
      await inside.insertAll(Note, [{ text: 'a' }, { text: 'refused' }], STORED).catch(() => undefined);
    });
    await expect(doomed).rejects.toThrow('A trigger of the table has refused a row.');
    expect([await texts(), await countEvents()]).toEqual([[], 0]);
  });

  it('may succeed when it is repeated, if that holds for the write that has failed', async () => {
    const row = await changes.insert(Note, { text: 'a' }, STORED);
    const doomed = changes.transaction('REPEATABLE READ', async (inside) => {
      await inside.manager.count(Note);
      await changes.update(Note, row, { text: 'b' }, STORED);
      await inside.update(Note, row, { text: 'c' }, STORED).catch(() => undefined);
    });
    const error: unknown = await doomed.catch((error: unknown) => error);
    expect(String(error)).toContain('could not serialize access');
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(await texts()).toEqual(['b']);
  });
});
