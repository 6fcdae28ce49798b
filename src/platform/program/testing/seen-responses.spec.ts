import { createServer } from 'node:http';
import request from 'supertest';
import type { Document } from './document.js';
import { SeenResponses } from './seen-responses.js';

const number = { content: { 'application/json': { schema: { type: 'number' } } }, headers: {} };
const document = {
  paths: {
    '/visits/{visitId}': { get: { responses: { 200: number } } },
    '/visits/count': { get: { responses: { 503: number } } },
  },
} as unknown as Document;

/** Answers with the status and the body in the query. */
const server = createServer((message, response) => {
  const { searchParams } = new URL(message.url ?? '', 'http://localhost');
  response.writeHead(Number(searchParams.get('status')), { 'Content-Type': 'application/json' });
  response.end(searchParams.get('body'));
});

describe('the responses that a suite has got', () => {
  const faultsOf = async (...paths: string[]) => {
    const seen = new SeenResponses();
    const client = seen.watch(request.agent(server));
    for (const path of paths) await client.get(path);
    return seen.faults(document);
  };

  it('are as the document says, or its faults are named, once for each status of an operation', async () => {
    expect(await faultsOf('/v1/visits/7?status=200&body=1')).toEqual([]);
    expect(
      await faultsOf(
        '/v1/visits/7?status=200&body="one"',
        '/v1/visits/8?status=200&body="two"',
        '/v1/visits/7?status=409&body=1',
      ),
    ).toEqual([
      'GET /v1/visits/{visitId}, 200: body must be number',
      'GET /v1/visits/{visitId}, 409: status 409 is not declared',
    ]);
  });

  it('belong to the operation without a parameter if there is one', async () => {
    expect(await faultsOf('/v1/visits/count?status=503&body=1')).toEqual([]);
  });

  it('say nothing of what the document does not describe', async () => {
    expect(await faultsOf('/health?status=500&body=1', '/v1/lost?status=500&body=1')).toEqual([]);
  });
});
