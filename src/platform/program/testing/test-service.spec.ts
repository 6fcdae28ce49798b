import { createServer } from 'node:http';
import request from 'supertest';
import { showErrorBody } from './test-service.js';

const BODY = '{"code":"validation_failed","details":[{"field":"name"}]}';

/** Answers with the status in the path. */
const server = createServer(({ url = '' }, response) => {
  response.writeHead(Number(url.slice(1)), { 'Content-Type': 'application/json' }).end(BODY);
});

describe('a client of a test', () => {
  const get = (status: number) => request.agent(server).use(showErrorBody).get(`/${status}`);

  it('shows the body of an error that a test does not expect', async () => {
    for (const wrong of [get(400).expect(201), get(500).expect('Location', '/'), get(404).expect({})]) {
      const error = await wrong.then(
        () => undefined,
        (reason: unknown) => reason as Error,
      );
      expect(error?.message).toMatch(/^expected .*\n/s);
      expect([error?.message, error?.stack]).toEqual([
        expect.stringContaining(BODY),
        expect.stringContaining(BODY),
      ]);
    }
  });

  it('leaves others as they are', async () => {
    await get(400).expect(400);
    expect((await get(404)).status).toBe(404);
    await expect(get(200).expect(201)).rejects.toThrow('expected 201 "Created", got 200 "OK"');
    await expect(request.agent('http://127.0.0.1:1').use(showErrorBody).get('/')).rejects.toThrow(
      'ECONNREFUSED',
    );
  });

  it('shows it with an error that cannot be changed, and nothing of a response without a body', async () => {
    const thrown = new DOMException('aborted', 'AbortError');
    const failing = get(400).expect(() => {
      throw thrown;
    });
    await expect(failing).rejects.toThrow(`aborted\n${BODY}`);
    const head = request.agent(server).use(showErrorBody).head('/404').expect(200);
    await expect(head).rejects.toThrow(/^expected 200 "OK", got 404 "Not Found"$/);
  });

  it('gives a callback what it gives a promise', async () => {
    const error = await new Promise<Error | null>((done) => void get(400).expect(201).end(done));
    expect(error?.message).toContain(BODY);
  });
});
