import { Logger } from '@nestjs/common';
import type { ApiKeysRepository } from '../keys/api-keys.repository.js';
import type { ApiKeyPrincipal } from './principal.js';
import { LastUsedRecorder } from './last-used-recorder.js';
import { minutes } from '../../kernel/clock/duration.js';

const NOON = Date.UTC(2027, 0, 15, 12);
const principal = (id: number, lastUsedAt = 0) => ({ id, lastUsedAt }) as ApiKeyPrincipal; // only these are read

/** A database that records the writes, or is unavailable. */
class Table {
  readonly written: [number, number][][] = [];
  away = false;

  recordUse(times: [number, number][]): Promise<void> {
    if (this.away) return Promise.reject(new Error('away'));
    this.written.push(times);
    return Promise.resolve();
  }
}

let table: Table;
let lastUsed: LastUsedRecorder;

beforeEach(() => {
  table = new Table();
  lastUsed = new LastUsedRecorder(table as unknown as ApiKeysRepository); // only recordUse is called
});
afterEach(() => lastUsed.onApplicationShutdown());

describe('LastUsedRecorder', () => {
  it('records a key once a minute, even if another process recorded it before', async () => {
    const key = principal(1, NOON);
    lastUsed.note(key, NOON + minutes(1) - 1);
    await lastUsed.write();
    expect(table.written).toEqual([]);
    lastUsed.note(key, NOON + minutes(1));
    lastUsed.note(key, NOON + minutes(1) + 1);
    await lastUsed.write();
    expect(table.written).toEqual([[[1, NOON + minutes(1)]]]);
  });

  it('retries a failed write, with the later time of each key', async () => {
    const key = principal(1);
    table.away = true;
    lastUsed.note(key, NOON);
    lastUsed.note(principal(2), NOON);
    await lastUsed.write();
    lastUsed.note(key, NOON + minutes(1));
    await lastUsed.write();
    table.away = false;
    await lastUsed.write();
    expect(table.written.map((times) => new Map(times))).toEqual([
      new Map([
        [1, NOON + minutes(1)],
        [2, NOON],
      ]),
    ]);
  });

  it('writes the remaining times at shutdown', async () => {
    lastUsed.note(principal(1), NOON);
    await lastUsed.onApplicationShutdown();
    expect(table.written).toEqual([[[1, NOON]]]);
  });

  it('logs times that are lost because PostgreSQL does not respond', async () => {
    jest.spyOn(table, 'recordUse').mockReturnValueOnce(new Promise(() => undefined));
    const error = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    lastUsed.note(principal(1), NOON);
    await lastUsed.onApplicationShutdown();
    expect(error).toHaveBeenCalledWith('Shutting down without recording when keys were last used.');
    lastUsed = new LastUsedRecorder(table as unknown as ApiKeysRepository); // for afterEach
  });
});
