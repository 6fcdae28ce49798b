import { readFile, writeFile } from 'node:fs/promises';
import { DiscoveryService } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { migrate, revertLast } from '../../data/database/migrations/migrate.js';
import { migrationsOf } from '../bootstrap/migrations.js';
import type { ServiceDefinition } from '../bootstrap/service-definition.js';
import type { Document, Operation } from './document.js';
import { GLOBALS } from './globals.js';
import type { ReceivedResponse } from './response-validator.js';
import { describeSchema } from './schema.js';
import { testRun } from './test-run.config.js';
import { TestServer } from './test-server.js';
import type { TestService } from './test-service.js';
import { unvalidated } from './unvalidated.js';

const { afterAll, beforeAll, describe, expect, it } = GLOBALS;

/**
 * What holds for every service: its migrations go up, down and up again and make the tables of its entities,
 * what it takes is validated, its refusals are those of its document, and its document is the one in its repository.
 * @param start a service with the addresses of the document, if they matter
 * @param snapshot the path of the document, which `UPDATE_OPENAPI=true` replaces
 */
export function describeService(
  service: ServiceDefinition,
  start: () => Promise<TestService>,
  snapshot: string,
): void {
  describe('the migrations', () => {
    it('can be reverted, and applied again', async () => {
      const database = await new TestServer(testRun.server).create('template1');
      const known = migrationsOf(service);
      try {
        const empty = await describeSchema(database.url);
        await migrate(database.url, known);
        const full = await describeSchema(database.url);
        for (let left = known.length; left > 0; left--) await revertLast(database.url, known);
        expect(await describeSchema(database.url)).toEqual(empty);
        await migrate(database.url, known);
        expect(await describeSchema(database.url)).toEqual(full);
      } finally {
        await database.drop();
      }
    });

    it('make the tables of the entities; after a change of these: npm run migration -- <name>', async () => {
      const running = await start();
      try {
        const { upQueries } = await running.app.get(DataSource).driver.createSchemaBuilder().log();
        expect(upQueries.map(({ query }) => query)).toEqual([]);
      } finally {
        await running.stop();
      }
    });
  });

  describe('the handlers', () => {
    it('have a class for each body and query, which validates it, or describe it', async () => {
      const running = await start();
      try {
        expect(unvalidated(running.app.get(DiscoveryService))).toEqual([]);
      } finally {
        await running.stop();
      }
    });
  });

  describe('the document', () => {
    let running: TestService;
    beforeAll(async () => {
      running = await start();
    });
    afterAll(() => running.stop());

    it('is that of the repository; after an intended change: npm run openapi:snapshot', async () => {
      const { text } = await running.client().get('/openapi.yaml').expect(200);
      if (testRun.isUpdating) await writeFile(snapshot, text);
      expect(text).toBe(await readFile(snapshot, 'utf8'));
    });

    it('has a first request, which the start shows, that returns 200', async () => {
      const client = running.client(await running.key());
      expect([service.firstRequest, (await client.get(service.firstRequest)).status]).toEqual([
        service.firstRequest,
        200,
      ]);
    });

    it('describes the response to a request without a key, without a body and with an unknown parameter', async () => {
      const { ResponseValidator } = await import('./response-validator.js');
      const document = (await running.client().get('/openapi.json').expect(200)).body as Document;
      const validator = new ResponseValidator(document);
      const key = await running.key();
      const faults: string[] = [];
      for (const { path, method, operation } of operationsOf(document)) {
        const url = `/v1${path.replace(/\{[^}]+\}/g, '1')}`;
        for (const [client, query] of [
          [running.client(), ''],
          [running.client(key), ''],
          [running.client(key), '?unknown=1'],
        ] as const) {
          const response = (await client[method](url + query)) as ReceivedResponse;
          const found = validator.faults(operation, response);
          faults.push(...found.map((fault) => `${method} ${url}${query}: ${fault}`));
        }
      }
      expect(faults).toEqual([]);
    });
  });
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, operations]) =>
    METHODS.flatMap((method): { path: string; method: (typeof METHODS)[number]; operation: Operation }[] => {
      const operation = operations[method];
      return operation ? [{ path, method, operation }] : [];
    }),
  );
