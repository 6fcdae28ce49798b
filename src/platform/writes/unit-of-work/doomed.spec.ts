import type { EntityTarget } from 'typeorm';
import {
  BOTH,
  declared,
  type Dog,
  FAILING,
  Note,
  useRows,
} from '../../../../test/support/rows-and-events.js';
import { isDatabaseUnavailable } from '../../data/database/database-unavailable.js';
import type { Changes } from './changes.js';
import { pick } from './pick.js';

class NoteData {
  readonly id!: Note['id'];
  readonly text!: string | null;

  static readonly from = pick<Note, NoteData>('id', 'text');
}

const STORED = declared('doomed.stored', NoteData);
const COPY = { ...STORED };
const UNLISTED = { ...STORED, name: 'doomed.unlisted' };

const ANOTHER = 'No module lists the event type doomed.stored (but another of this name) in its static';

const rows = useRows();

beforeAll(() =>
  rows.dataSource.query(`
    CREATE FUNCTION refuse_some() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RETURN CASE NEW."the order" WHEN 'refused' THEN NULL ELSE NEW END; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON on_notes FOR EACH ROW EXECUTE FUNCTION refuse_some()`),
);
beforeEach(() => rows.dataSource.query('TRUNCATE on_notes, on_dogs'));

const texts = async (Target: EntityTarget<Note | Dog> = Note) =>
  (await rows.dataSource.getRepository(Target).find({ order: { id: 'ASC' } })).map(({ text }) => text);
const countEvents = async () => (await rows.dataSource.query<object[]>('SELECT FROM event_outbox')).length;

describe.each(BOTH)('a transaction in which a write has failed, %s,', (_, Target) => {
  it.each<[string, string, (inside: Changes, row: Note & Dog) => Promise<unknown>]>([
    ['insert', 'no data', (inside) => inside.insert(Target, { text: 'b' }, FAILING)],
    ['insertAll', 'no data', (inside) => inside.insertAll(Target, [{ text: 'b' }, { text: 'c' }], FAILING)],
    ['update', 'no data', (inside, row) => inside.update(Target, row, { text: 'b' }, FAILING)],
    ['delete', 'no data', (inside, row) => inside.delete(Target, row, FAILING)],
    ['record', 'No module lists', (inside) => inside.record(UNLISTED, {})],
    ['record of a copy', ANOTHER, (inside) => inside.record(COPY, {})],
    ['insert with a copy', ANOTHER, (inside) => inside.insert(Target, { text: 'b' }, COPY)],
    ['update with a copy', ANOTHER, (inside, row) => inside.update(Target, row, { text: 'b' }, COPY)],
    ['delete with a copy', ANOTHER, (inside, row) => inside.delete(Target, row, COPY)],
    [
      'an update without a key',
      'lacks its primary key',
      (inside) => inside.update(Target, {} as Note & Dog, { text: 'b' }, STORED),
    ],
  ])('keeps nothing, although the error is caught: %s', async (_, message, write) => {
    const row = await rows.changes.insert(Target, { text: 'a' }, STORED);
    const errors: unknown[] = [];
    const doomed = rows.changes.transaction(async (inside) => {
      await inside.insert(Target, { text: 'before' }, STORED);
      await write(inside, row as Note & Dog).catch((error: unknown) => errors.push(error));
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

  it('keeps nothing and runs nothing more after a write that PostgreSQL has refused', async () => {
    const row = await rows.changes.insert(Target, { text: 'a' }, STORED);
    const errors: string[] = [];
    const doomed = rows.changes.transaction(async (inside) => {
      const caught = (error: unknown) => errors.push(String(error));
      await inside.update(Target, row, { text: 'b', code: 'too long' }, STORED).catch(caught);
      await inside.manager.query('SELECT 1').catch(caught);
      for (let i = 0; i < 2; i++)
        await inside.transaction((nested) => nested.insert(Target, { text: 'c' }, STORED)).catch(caught);
    });
    await expect(doomed).rejects.toThrow('one of its writes had failed');
    expect(errors).toHaveLength(4);
    expect(errors[0]).toContain('too long');
    expect(errors[1]).toContain('current transaction is aborted');
    expect([await texts(Target), await countEvents()]).toEqual([['a'], 1]);
  });

  it('keeps nothing of a savepoint alone', async () => {
    await rows.changes.transaction(async (inside) => {
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
    await rows.changes.transaction(async (inside) => {
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
    const ended = await rows.changes.transaction((inside) => {
      for (const text of ['a', 'b']) void inside.insert(Target, { text }, STORED);
      return Promise.resolve('ended');
    });
    expect([ended, await texts(Target)]).toEqual(['ended', ['a', 'b']]);
    const doomed = rows.changes.transaction((inside) => {
      void inside.insert(Target, { text: 'c' }, FAILING);
      void inside.insert(Target, { text: 'd' }, STORED);
      return Promise.resolve();
    });
    await expect(doomed).rejects.toThrow('no data');
    expect([await texts(Target), await countEvents()]).toEqual([['a', 'b'], 2]);
  });

  it('fails with the error of its work, and no begun write goes on outside of it', async () => {
    const row = await rows.changes.insert(Target, { text: 'a' }, STORED);
    const writes: Promise<unknown>[] = [];
    const failed = rows.changes.transaction((inside) => {
      for (const text of ['b', 'c']) writes.push(inside.update(Target, row, { text }, STORED));
      return Promise.reject(new Error('of the work'));
    });
    await expect(failed).rejects.toThrow('of the work');
    await Promise.allSettled(writes);
    expect([await texts(Target), await countEvents()]).toEqual([['a'], 1]);
  });

  it('refuses writes after its end', async () => {
    let late: Changes | undefined;
    await rows.changes.transaction(async (inside) => {
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
    const doomed = rows.changes.transaction(async (inside) => {
      await inside.insertAll(Note, [{ text: 'a' }, { text: 'refused' }], STORED).catch(() => undefined);
    });
    await expect(doomed).rejects.toThrow('A trigger of the table has refused a row.');
    expect([await texts(), await countEvents()]).toEqual([[], 0]);
  });

  it('may succeed when it is repeated, if that holds for the write that has failed', async () => {
    const row = await rows.changes.insert(Note, { text: 'a' }, STORED);
    const doomed = rows.changes.transaction('REPEATABLE READ', async (inside) => {
      await inside.manager.count(Note);
      await rows.changes.update(Note, row, { text: 'b' }, STORED);
      await inside.update(Note, row, { text: 'c' }, STORED).catch(() => undefined);
    });
    const error: unknown = await doomed.catch((error: unknown) => error);
    expect(String(error)).toContain('could not serialize access');
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(await texts()).toEqual(['b']);
  });
});
