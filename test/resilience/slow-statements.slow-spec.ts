import { Controller, Get, Module, StreamableFile } from '@nestjs/common';
import pg from 'pg';
import QueryStream from 'pg-query-stream';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { becomes } from '../support/eventually.js';
import { Petstore } from '../support/petstore.js';
import { withClient } from '../support/test-database.js';

const ROWS = 20_000;
const ROW = 1_000; // bytes

@Controller({ path: 'on-statements', version: '1' })
class StatementsController {
  constructor(private readonly dataSource: DataSource) {}

  @Get('two-seconds')
  async twoSeconds(): Promise<object> {
    await this.dataSource.query('SELECT pg_sleep(2)');
    return { slept: true };
  }

  @Get('stuck')
  async stuck(): Promise<object> {
    await this.dataSource.query('SELECT /* stuck */ pg_sleep(25)');
    return {};
  }

  /** 20 MB, row by row. */
  @Get('export')
  async export(): Promise<StreamableFile> {
    const runner = this.dataSource.createQueryRunner();
    const client = (await runner.connect()) as pg.Client;
    const rows = client.query(
      new QueryStream(`SELECT repeat('x', ${ROW}) AS text FROM generate_series(1, ${ROWS})`),
    );
    rows.once('close', () => void runner.release());
    return new StreamableFile(Readable.from(texts(rows)), { type: 'text/plain' });
  }
}

async function* texts(rows: AsyncIterable<{ text: string }>): AsyncIterable<string> {
  for await (const { text } of rows) yield text;
}

@Module({ controllers: [StatementsController] })
class StatementsModule {}

describe('a statement that takes long', () => {
  let petstore: Petstore;
  let key: string;
  let neighbour: string;

  beforeAll(async () => {
    petstore = await Petstore.start({ modules: [StatementsModule], isPatient: false });
    [key, neighbour] = [await petstore.key(), await petstore.key()];
  });
  afterAll(() => petstore.stop());

  const get = (path: string) => petstore.client(key).get(path);

  it('of 2 s is waited for', async () => {
    expect((await get('/v1/on-statements/two-seconds')).body).toEqual({ slept: true });
  });

  it('gets 503 after 5 s, PostgreSQL drops it, and the log names the limit', async () => {
    await get('/v1/on-statements/stuck').expect(503);
    const running = () =>
      petstore.query(`SELECT 1 FROM pg_stat_activity
        WHERE query LIKE '%stuck%' AND query NOT LIKE '%pg_stat%' AND state = 'active'`);
    const began = performance.now();
    await becomes(async () => (await running()).length, 0);
    expect(performance.now() - began).toBeLessThan(15_000); // the statement itself would take 5 s longer
    expect(JSON.stringify(petstore.log)).toContain('after 5 s; withStatementTimeout() allows a module more');
  });

  it('ends in the same way if it waits for a lock, and delays neither readiness nor other tables', async () => {
    await withClient(petstore.databaseUrl, async (other) => {
      await other.query('BEGIN; LOCK TABLE pets');
      const readers = Array.from({ length: 8 }, () => get('/v1/pets').then(({ status }) => status));
      let ended = 0;
      for (const reader of readers) void reader.then(() => ended++);
      const waiting = () =>
        petstore.query(
          `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
        );
      await becomes(async () => (await waiting()).length, 8);
      expect((await petstore.client(neighbour).get('/v1/categories')).status).toBe(200);
      expect((await petstore.client(neighbour).get('/health/ready')).status).toBe(200);
      expect(ended).toBe(0);
      expect(await Promise.all(readers)).toEqual(Array(8).fill(503));
      await becomes(async () => (await waiting()).length, 0);
      await other.query('ROLLBACK');
    });
    expect((await get('/v1/pets')).status).toBe(200);
  });

  it.each([
    ['pauses for 3 s, then for 10 s', [3_000, 10_000], 0],
    ['takes about 20 s steadily', [], 20],
  ])('and is streamed to a reader that %s arrives complete', async (_, pauses, steady) => {
    const { port } = petstore.app.getHttpServer().address() as AddressInfo;
    const length = await new Promise<number>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${key}` };
      request({ port, path: '/v1/on-statements/export', headers, agent: false }, (response) => {
        void read(response, [...pauses], steady).then(resolve, reject);
      })
        .on('error', reject)
        .end();
    });
    expect(length).toBe(ROWS * ROW);
  });
});

async function read(response: AsyncIterable<Buffer>, pauses: number[], steady: number): Promise<number> {
  let length = 0;
  let shown = 0;
  for await (const chunk of response) {
    length += chunk.length;
    const next = pauses.shift();
    if (next !== undefined) await pause(next);
    while (steady > 0 && length > ((shown + 1) * ROWS * ROW) / (steady * 10)) {
      shown += 1;
      await pause(100);
    }
  }
  return length;
}
