import { jest } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.js';
import { ReadTimeoutClient } from './read-timeout.client.js';

describe('a connection with a read timeout', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase('template1');
  });
  afterAll(() => database.drop());

  it('has no timer while no response is due, and is closed when one does not come', async () => {
    const begun = jest.spyOn(globalThis, 'setInterval');
    const ended = jest.spyOn(globalThis, 'clearInterval');
    const running = () => {
      const timers = begun.mock.results.map(({ value }) => value);
      const over = ended.mock.calls.map(([timer]) => timer as unknown);
      return timers.filter((timer) => !over.includes(timer)).length;
    };
    const client = new ReadTimeoutClient(database.url);
    await client.connect();
    // The timer may still run for connections of the suite before.
    await eventually(async () => {
      await client.query('SELECT 1');
      return begun.mock.calls.length > 0;
    });
    await eventually(() => running() === 0);

    client.readTimeout = 250;
    const response = client.query('SELECT pg_sleep(60)');
    expect(running()).toBe(1);
    await expect(response).rejects.toThrow('Query read timeout');
    await eventually(() => running() === 0);
    begun.mockRestore();
    ended.mockRestore();
  });
});
