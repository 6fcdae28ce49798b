import {
  Controller,
  Get,
  Header,
  Injectable,
  type MessageEvent,
  Module,
  Res,
  Sse,
  StreamableFile,
} from '@nestjs/common';
import type { Response } from 'express';
import { get as request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { EMPTY, from, map, NEVER, Observable, throwError } from 'rxjs';
import { eventually } from '../support/eventually.js';
import { asText } from './read-body.js';
import type { Scene, Topic } from './topics.js';

const MAX = 9223372036854775807n;

/** What has been released after its client has gone. */
@Injectable()
class Released {
  readonly names: string[] = [];
}

async function* rows() {
  await turn();
  yield { id: 1 };
  yield { id: 2 };
}

@Controller({ path: 'on-streams', version: '1' })
class StreamsController {
  constructor(private readonly released: Released) {}

  @Get('file')
  file(): StreamableFile {
    return new StreamableFile(Buffer.from('hello'));
  }

  @Get('csv')
  @Header('Content-Type', 'text/csv')
  @Header('Content-Disposition', 'attachment; filename="pets.csv"')
  csv(): StreamableFile {
    return new StreamableFile(Readable.from(['id\n', '1\n']));
  }

  @Get('typed')
  typed(): StreamableFile {
    return new StreamableFile(Buffer.from('{}'), { type: 'application/json', disposition: 'attachment' });
  }

  @Get('tagged')
  @Header('ETag', '"7"')
  tagged(): StreamableFile {
    return new StreamableFile(Buffer.from('seven'));
  }

  @Get('rows')
  rows(): AsyncIterable<object> {
    return rows();
  }

  @Get('broken-at-once')
  brokenAtOnce(): StreamableFile {
    return new StreamableFile(
      new Readable({
        read() {
          this.destroy(new Error('on purpose'));
        },
      }),
    );
  }

  @Get('broken-midway')
  brokenMidway(): StreamableFile {
    let reads = 0;
    return new StreamableFile(
      new Readable({
        read() {
          if (reads++ === 0) this.push('x'.repeat(100_000));
          else setImmediate(() => this.destroy(new Error('on purpose')));
        },
      }),
    );
  }

  @Get('endless')
  endless(): StreamableFile {
    const { names } = this.released;
    return new StreamableFile(
      new Readable({
        read() {
          this.push('x'.repeat(1000));
        },
        destroy(_error, done) {
          names.push('endless');
          done(null);
        },
      }),
    );
  }

  @Get('piped')
  piped(@Res() response: Response): void {
    response.setHeader('Content-Type', 'text/plain');
    Readable.from(['a', 'b']).pipe(response);
  }

  @Sse('events')
  events(): Observable<MessageEvent> {
    return from([1, 2]).pipe(map((n) => ({ id: String(n), data: { n } })));
  }

  @Sse('no-events')
  noEvents(): Observable<MessageEvent> {
    return EMPTY;
  }

  @Sse('quiet-events')
  quiet(): Observable<MessageEvent> {
    return new Observable<MessageEvent>((subscriber) => {
      subscriber.next({ data: 'hello' });
      subscriber.add(NEVER.subscribe());
      return () => this.released.names.push('quiet-events');
    });
  }

  @Sse('broken-events')
  broken(): Observable<MessageEvent> {
    return throwError(() => new Error('on purpose'));
  }

  @Sse('large-events')
  large(): Observable<MessageEvent> {
    return from([{ data: { id: MAX } }]);
  }

  @Get('large-rows')
  largeRows(): AsyncIterable<object> {
    return Readable.from([{ id: MAX }]) as AsyncIterable<object>;
  }
}

@Module({ controllers: [StreamsController], providers: [Released] })
class StreamsModule {}

export const streams: Topic = {
  name: 'with streams',
  module: StreamsModule,
  tests(scene) {
    const get = (path: string) => scene().client.get(`/v1/on-streams/${path}`).buffer().parse(asText);
    const EVENTS = 'text/event-stream';

    it.each([
      ['file', 'application/octet-stream', 'hello'],
      ['csv', 'text/csv; charset=utf-8', 'id\n1\n'],
      ['typed', 'application/json', '{}'],
      ['rows', 'application/x-ndjson', '{"id":1}\n{"id":2}\n'],
      ['piped', 'text/plain', 'ab'],
      ['events', EVENTS, 'id: 1\ndata: {"n":1}\n\nid: 2\ndata: {"n":2}\n\n'],
      ['no-events', EVENTS, ''],
    ])('sends %s as %s', async (path, type, body) => {
      const response = await get(path);
      expect({
        status: response.status,
        type: response.headers['content-type'],
        body: response.body,
      }).toEqual({
        status: 200,
        type,
        body: path.endsWith('events') ? expect.stringMatching(new RegExp(`^\n?${body}$`)) : body,
      });
      const head = await scene().client.head(`/v1/on-streams/${path}`);
      expect({ status: head.status, body: head.text }).toEqual({ status: 200, body: undefined });
    });

    it('names a download', async () => {
      expect((await get('csv')).headers).toMatchObject({
        'content-disposition': 'attachment; filename="pets.csv"',
        'x-ratelimit-limit': expect.any(String),
      });
      expect((await get('typed')).headers).toMatchObject({ 'content-disposition': 'attachment' });
    });

    it("responds to a file's own ETag with 304", async () => {
      expect(await get('tagged')).toMatchObject({ status: 200, body: 'seven', headers: { etag: '"7"' } });
      expect(await get('tagged').set('If-None-Match', '"7"')).toMatchObject({ status: 304, body: '' });
    });

    it.each([
      ['events', EVENTS, 200],
      ['events', 'application/json', 406],
      ['csv', 'text/csv', 200],
      ['csv', 'application/json', 406],
      ['file', 'application/octet-stream', 200],
    ])('judges Accept against what the route declares: %s for %s is %i', async (path, accept, status) => {
      expect((await get(path).set('Accept', accept)).status).toBe(status);
    });

    it.each(['broken-at-once', 'broken-events'])(
      'turns a failure before the first byte into an Error: %s',
      async (path) => {
        const { status, headers, body } = await get(path);
        expect({ status, type: headers['content-type'] }).toEqual({ status: 500, type: 'application/json' });
        expect(JSON.parse(body as string)).toMatchObject({ code: 'internal_error' });
      },
    );

    it('cuts a response that fails midway, and goes on with others', async () => {
      await expect(get('broken-midway')).rejects.toThrow(/aborted|hang up/);
      expect((await get('file')).status).toBe(200);
    });

    it.each(['endless', 'quiet-events'])(
      'releases what it reads from when the client goes away: %s',
      async (path) => {
        const released = scene().petstore.app.get(Released);
        const response = await open(scene(), path);
        response.destroy();
        await eventually(() => Promise.resolve(released.names.includes(path)));
      },
    );

    it.each([
      ['large-events', /^\n?id: 1\ndata: {"id":9223372036854775807}\n\n$/],
      ['large-rows', /^{"id":9223372036854775807}\n$/],
    ])('keeps every digit of a number, or refuses it on Node.js 20: %s', async (path, body) => {
      expect((await get(path)).body).toMatch('rawJSON' in JSON ? body : /internal_error/);
    });
  },
};

/** A response whose first bytes are there. */
function open({ petstore, key }: Scene, path: string): Promise<IncomingMessage> {
  const { port } = petstore.app.getHttpServer().address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${key}` };
    const call = request({ port, path: `/v1/on-streams/${path}`, headers, agent: false }, (response) => {
      response.once('data', () => {
        resolve(response);
      });
      response.on('error', () => undefined); // its own end
    });
    call.on('error', reject);
  });
}
