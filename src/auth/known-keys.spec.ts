import { TestClock } from '../../test/support/test-clock.js';
import { seconds } from '../kernel/clock/duration.js';
import type { ApiKeyPrincipal } from './principal.js';
import { KnownKeys } from './known-keys.js';

const principal = (id: number) => ({ id }) as ApiKeyPrincipal; // all that is asked of one

let clock: TestClock;
let known: KnownKeys;

beforeEach(() => {
  clock = new TestClock();
  known = new KnownKeys(clock, { most: 3, fresh: seconds(10) });
});

const knows = (...hashes: string[]) => hashes.filter((hash) => known.last(hash) !== undefined);

describe('KnownKeys', () => {
  it('is fresh for 10 s and known after that', () => {
    known.set('a', principal(1));
    clock.advance(seconds(10));
    expect(known.fresh('a')).toEqual(principal(1));
    clock.advance(1);
    expect(known.fresh('a')).toBeUndefined();
    expect(known.last('a')).toEqual(principal(1));
  });

  it('holds no more than it may, and lets those go that were not seen for longest', () => {
    for (const [id, hash] of ['a', 'b', 'c'].entries()) known.set(hash, principal(id));
    known.fresh('a');
    known.set('d', principal(4));
    expect(knows('a', 'b', 'c', 'd')).toEqual(['a', 'c', 'd']);
  });

  it('forgets both secrets of a key, and no other key', () => {
    known.set('old', principal(1));
    known.set('new', principal(1));
    known.set('other', principal(2));
    known.forget('1');
    expect(knows('old', 'new', 'other')).toEqual(['other']);
  });

  it('forgets a key that it was told again, that was pushed out, or that it does not know', () => {
    known.set('a', principal(1));
    known.set('a', principal(1));
    known.forget('1');
    known.forget('1');
    known.forget('7');
    expect(knows('a')).toEqual([]);
    for (const hash of ['a', 'b', 'c', 'd']) known.set(hash, principal(1));
    known.forget('1');
    expect(knows('a', 'b', 'c', 'd')).toEqual([]);
  });

  it('finds what to forget without looking through all', () => {
    const many = 100_000;
    known = new KnownKeys(clock, { most: many, fresh: seconds(10) });
    for (let id = 0; id < many; id++) known.set(String(id), principal(id));
    const began = performance.now();
    for (let id = 0; id < many; id++) known.forget(String(id));
    expect(performance.now() - began).toBeLessThan(seconds(5)); // each through all would take minutes
    expect(knows('0', '99999')).toEqual([]);
  });
});
