import {
  Body,
  type CallHandler,
  type CanActivate,
  Controller,
  Delete,
  type ExecutionContext,
  Get,
  HttpCode,
  type MiddlewareConsumer,
  Module,
  type NestInterceptor,
  type NestModule,
  ParseFilePipeBuilder,
  Post,
  Put,
  RawBody,
  type RawBodyRequest,
  Req,
  UploadedFile,
  UploadedFiles,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { FileInterceptor, FilesInterceptor, NoFilesInterceptor } from '@nestjs/platform-express';
import { ApiConsumes, ApiQuery } from '@nestjs/swagger';
import express, { type NextFunction, type Request, type Response } from 'express';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import type { Observable } from 'rxjs';
import { Idempotent } from '../../src/idempotency/idempotent.decorator.js';
import type { Petstore } from '../support/petstore.js';
import { expectErrorResponse } from '../support/promises.js';
import { bearer, type Message, requestBytes, send, sendBytes } from '../support/wire.js';
import type { Topic } from './topics.js';

/** What `@types/multer` describes. */
interface StoredFile {
  readonly originalname: string;
  readonly buffer: Buffer;
  readonly size: number;
}

/** What each of them found in `request.body`. */
const seen: Record<string, unknown> = {};

class BodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    seen.guard = context.switchToHttp().getRequest<Request>().body;
    return true;
  }
}

class GlobalBodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    seen['global guard'] = context.switchToHttp().getRequest<Request>().body;
    return true;
  }
}

class BodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    seen.interceptor = request.body;
    if (request.query.replace === 'yes') request.body = { name: 'replaced' };
    return next.handle();
  }
}

class TrimInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { body } = context.switchToHttp().getRequest<{ body: { name: string } }>();
    body.name = body.name.trim();
    return next.handle();
  }
}

@Controller({ path: 'on-bodies', version: '1' })
class BodiesController {
  private readonly calls = { upload: 0, stream: 0 };

  @Post('property')
  property(@Body('name') name: unknown): object {
    return { name };
  }

  @Post('whole')
  whole(@Body() body: unknown): object {
    return { body };
  }

  @Post('two')
  two(@Body('a') a: unknown, @Body('b') b: unknown, @Body() body: unknown): object {
    return { a, b, body };
  }

  @Post('request')
  request(@Req() request: Request): object {
    return { body: request.body as unknown };
  }

  @Delete('request')
  deleteWithBody(@Body('reason') reason: unknown): object {
    return { reason };
  }

  @Get('with-body')
  getWithBody(@Body('filter') filter: unknown): object {
    return { filter };
  }

  @Get('without-body')
  getWithoutBody(): object {
    return { ok: true };
  }

  @Post('watched')
  @ApiQuery({ name: 'replace', required: false })
  @UseGuards(BodyGuard)
  @UseInterceptors(BodyInterceptor)
  watched(@Body() body: unknown): object {
    return { body };
  }

  @Post('watched-without')
  @UseGuards(BodyGuard)
  @UseInterceptors(BodyInterceptor)
  watchedWithout(): object {
    return { ok: true };
  }

  @Post('trimmed')
  @UseInterceptors(TrimInterceptor)
  trimmed(@Body() body: unknown): object {
    return { body };
  }

  @Post('upload')
  @UseInterceptors(FileInterceptor('file', { limits: { fileSize: 1_000_000 } }))
  upload(@UploadedFile() file: StoredFile | undefined, @Body() fields: unknown): object {
    return { file: file && { name: file.originalname, text: file.buffer.toString() }, fields };
  }

  @Post('upload-once')
  @Idempotent()
  @UseInterceptors(FileInterceptor('file'))
  uploadOnce(): object {
    return { calls: ++this.calls.upload };
  }

  @Put('stream-once')
  @Idempotent()
  async streamOnce(@Req() request: Request): Promise<object> {
    return { text: await textOf(request), calls: ++this.calls.stream };
  }

  @Post('uploads')
  @ApiConsumes('multipart/form-data')
  @UseInterceptors(FilesInterceptor('files', 2))
  uploads(@UploadedFiles() files: readonly StoredFile[]): object {
    return { names: files.map(({ originalname }) => originalname) };
  }

  @Post('picture')
  @UseInterceptors(FileInterceptor('file'))
  picture(
    @UploadedFile(new ParseFilePipeBuilder().addMaxSizeValidator({ maxSize: 10 }).build())
    file: StoredFile,
  ): object {
    return { size: file.size };
  }

  @Post('form')
  @UseInterceptors(NoFilesInterceptor())
  form(@Body() fields: unknown): object {
    return { fields };
  }

  @Post('csv')
  @ApiConsumes('text/csv')
  csv(@Body() rows: string): object {
    return { rows: rows.split('\n').length };
  }

  @Post('text')
  text(@Body() text: unknown): object {
    return { text };
  }

  @Post('own-json')
  ownJson(@Body() body: { items: unknown[] }): object {
    return { items: body.items.length };
  }

  @Post('urlencoded')
  @ApiConsumes('application/x-www-form-urlencoded')
  urlencoded(@Body() body: unknown): object {
    return { body };
  }

  @Put('stream')
  @HttpCode(200)
  async stream(@Req() request: Request): Promise<object> {
    return { text: await textOf(request) };
  }

  @Post('raw')
  raw(@Req() { rawBody, body }: RawBodyRequest<Request>): object {
    return { raw: rawBody?.toString(), body: body as unknown };
  }

  @Post('raw-parameter')
  rawParameter(@RawBody() raw: Buffer | undefined): object {
    return { raw: raw?.toString() };
  }

  @Post('patch')
  @ApiConsumes('application/json', 'application/merge-patch+json')
  patch(@Body() body: unknown): object {
    return { body };
  }
}

@Module({
  controllers: [BodiesController],
  providers: [{ provide: APP_GUARD, useClass: GlobalBodyGuard }],
})
class BodiesModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    const note = (request: Request, _: Response, next: NextFunction) => {
      seen.middleware = request.body;
      next();
    };
    consumer.apply(note).forRoutes('/v1/on-bodies/watched');
    consumer.apply(express.text({ type: 'text/csv' })).forRoutes('/v1/on-bodies/csv');
    consumer.apply(express.text()).forRoutes('/v1/on-bodies/text');
    consumer.apply(express.json({ limit: '2mb' })).forRoutes('/v1/on-bodies/own-json');
    consumer.apply(express.urlencoded({ extended: false })).forRoutes('/v1/on-bodies/urlencoded');
  }
}

const PATH = '/v1/on-bodies';
const MULTIPART = ['Content-Type', 'multipart/form-data; boundary=x'] as const;
const part = (name: string, value: string, file?: string) =>
  `--x\r\nContent-Disposition: form-data; name="${name}"${file === undefined ? '' : `; filename="${file}"`}\r\n\r\n${value}\r\n`;

/** Sends the start of a request and resets the connection as soon as the service has it. */
async function leave(petstore: Petstore, bytes: Buffer): Promise<void> {
  const server = petstore.app.getHttpServer();
  const { port } = server.address() as AddressInfo;
  const arrived = once(server, 'request');
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
  const [request] = (await arrived) as [IncomingMessage];
  const closed = new Promise((resolve) => request.once('close', resolve));
  socket.resetAndDestroy();
  await closed;
}

export const bodies: Topic = {
  name: 'with request bodies',
  module: BodiesModule,
  tests(scene) {
    const ask = async (path: string, body: Message['body'], type = 'application/json', method = 'POST') => {
      const { petstore, key } = scene();
      const headers = [bearer(key), ['Content-Type', type] as const];
      return send(petstore, { method, path: `${PATH}/${path}`, headers, body });
    };
    const responseOf = async (...of: Parameters<typeof ask>) => {
      const { status, body } = await ask(...of);
      return { status, body: JSON.parse(body) as unknown };
    };

    it.each([
      ['property', '{"name":"Rex"}', { name: 'Rex' }],
      ['property', '{}', {}],
      ['property', '["name"]', {}],
      ['whole', '{"name":"Rex"}', { body: { name: 'Rex' } }],
      ['whole', '[1,2]', { body: [1, 2] }],
      ['whole', '"text"', { body: 'text' }],
      ['whole', '5', { body: 5 }],
      ['whole', 'null', { body: null }],
      ['whole', 'false', { body: false }],
      ['two', '{"a":1,"b":[2]}', { a: 1, b: [2], body: { a: 1, b: [2] } }],
      ['request', '{"name":"Rex"}', { body: { name: 'Rex' } }],
      ['trimmed', '{"name":" Rex "}', { body: { name: 'Rex' } }],
      ['raw', '{"name": "Rex"}', { raw: '{"name": "Rex"}', body: { name: 'Rex' } }],
      ['raw-parameter', '{"name": "Rex"}', { raw: '{"name": "Rex"}' }],
    ])('gives %s the JSON %s', async (path, body, expected) => {
      expect(await responseOf(path, body)).toEqual({ status: 201, body: expected });
    });

    it.each([
      ['DELETE', 'request', '{"reason":"sold"}', { reason: 'sold' }],
      ['GET', 'with-body', '{"filter":"x"}', { filter: 'x' }],
    ])('gives the JSON to %s %s', async (method, path, body, expected) => {
      expect(await responseOf(path, body, 'application/json', method)).toEqual({
        status: 200,
        body: expected,
      });
    });

    it.each(['property', 'whole', 'two', 'request', 'watched', 'watched-without', 'trimmed', 'raw', 'text'])(
      'refuses malformed JSON to %s with 400, and goes on',
      async (path) => {
        for (let i = 0; i < 3; i++) expectErrorResponse(await ask(path, '{"name":'), 400, 'invalid_json');
        expect((await ask('whole', '{}')).status).toBe(201);
      },
    );

    it('reads nothing of a body without a key', async () => {
      const { petstore } = scene();
      for (const path of ['property', 'watched', 'upload', 'raw']) {
        const head = `POST ${PATH}/${path} HTTP/1.1\r\nHost: petstore.test\r\nContent-Type: application/json\r\n`;
        const bytes = `${head}Content-Length: 100\r\n\r\n{`;
        expectErrorResponse(await sendBytes(petstore, bytes, 'POST'), 401, 'missing_api_key');
      }
    });

    it.each([
      ['POST', 'upload-once', MULTIPART[1], `${part('file', 'text', 'a.txt')}--x--\r\n`],
      ['PUT', 'stream-once', 'application/octet-stream', 'text'],
    ])(
      'refuses an Idempotency-Key for a body that only the handler reads with 400, and stores nothing: %s %s',
      async (method, path, type, body) => {
        const { petstore, key } = scene();
        const headers = [bearer(key), ['Content-Type', type] as const];
        const withKey = [...headers, ['Idempotency-Key', path] as const];
        const message = { method, path: `${PATH}/${path}`, body };
        for (let i = 0; i < 2; i++)
          expectErrorResponse(
            await send(petstore, { ...message, headers: withKey }),
            400,
            'validation_failed',
          );
        expect(await petstore.query('SELECT FROM idempotent_answers WHERE key = $1', [path])).toEqual([]);
        const { status, body: sent } = await send(petstore, { ...message, headers });
        expect(status).toBeLessThan(300);
        expect(JSON.parse(sent)).toMatchObject({ calls: 1 });
      },
    );

    it('survives a client that leaves in the middle of its body', async () => {
      const { petstore, key } = scene();
      for (const [path, type] of [
        ['property', 'application/json'],
        ['watched', 'application/json'],
        ['own-json', 'application/json'],
        ['upload', MULTIPART[1]],
        ['csv', 'text/csv'],
      ] as const) {
        const headers = [bearer(key), ['Content-Type', type], ['Content-Length', '99']] as const;
        const head = requestBytes({ method: 'POST', path: `${PATH}/${path}`, headers });
        await leave(petstore, Buffer.concat([head, Buffer.from('{"name"')]));
      }
      expect((await ask('whole', '{}')).status).toBe(201);
    });

    it('shows guards, global ones too, and interceptors the parsed body, as a plain value', async () => {
      for (const path of ['watched', 'watched-without']) {
        for (const name of Object.keys(seen)) Reflect.deleteProperty(seen, name);
        expect((await ask(path, '{"name":"Rex"}')).status).toBe(201);
        const body = { name: 'Rex' };
        expect(seen).toMatchObject({ guard: body, 'global guard': body, interceptor: body });
      }
    });

    it('shows them undefined where there is no body', async () => {
      const { client } = scene();
      await client.post(`${PATH}/watched`).expect(201);
      expect(seen).toMatchObject({ guard: undefined, 'global guard': undefined, interceptor: undefined });
    });

    it('shows middleware undefined: it runs before the body is read', async () => {
      await ask('watched', '{"name":"Rex"}');
      expect(seen).toHaveProperty('middleware', undefined);
    });

    it('lets an interceptor replace the body', async () => {
      const replaced = await responseOf('watched?replace=yes', '{"name":"Rex"}');
      expect(replaced).toEqual({ status: 201, body: { body: { name: 'replaced' } } });
    });

    it('uploads a file with fields', async () => {
      const body = `${part('name', 'Rex')}${part('file', 'wuff', 'rex.txt')}--x--\r\n`;
      expect(await responseOf('upload', body, MULTIPART[1])).toEqual({
        status: 201,
        body: { file: { name: 'rex.txt', text: 'wuff' }, fields: { name: 'Rex' } },
      });
    });

    it('uploads a file of more than 100 KiB', async () => {
      const body = `${part('file', 'x'.repeat(500_000), 'rex.txt')}--x--\r\n`;
      expect((await ask('upload', body, MULTIPART[1])).status).toBe(201);
      expect((await ask('upload', '{}', MULTIPART[1])).status).toBe(400);
    });

    it('uploads several files', async () => {
      const files = (...names: string[]) =>
        `${names.map((name) => part('files', 'x', name)).join('')}--x--\r\n`;
      expect(await responseOf('uploads', files('a', 'b'), MULTIPART[1])).toEqual({
        status: 201,
        body: { names: ['a', 'b'] },
      });
      expect((await ask('uploads', files('a', 'b', 'c'), MULTIPART[1])).status).toBe(400);
    });

    it('checks an uploaded file by its pipes', async () => {
      const of = (length: number) => `${part('file', 'x'.repeat(length), 'a.png')}--x--\r\n`;
      expect((await ask('picture', of(9), MULTIPART[1])).status).toBe(201);
      expect((await ask('picture', of(10), MULTIPART[1])).status).toBe(400);
      expect((await ask('picture', '--x--\r\n', MULTIPART[1])).status).toBe(400);
    });

    it('takes a form without files', async () => {
      expect(await responseOf('form', `${part('name', 'Rex')}--x--\r\n`, MULTIPART[1])).toEqual({
        status: 201,
        body: { fields: { name: 'Rex' } },
      });
    });

    it.each([
      ['csv', 'a,b\nc,d', 'text/csv', { rows: 2 }],
      ['text', 'wuff', 'text/plain', { text: 'wuff' }],
      [
        'urlencoded',
        'name=Rex&age=3',
        'application/x-www-form-urlencoded',
        { body: { name: 'Rex', age: '3' } },
      ],
      ['patch', '{"a":null}', 'application/merge-patch+json', { body: { a: null } }],
      ['raw-parameter', 'signed text', 'text/plain', { raw: 'signed text' }],
    ])('gives %s what its own middleware or declaration reads: %s', async (path, body, type, expected) => {
      expect(await responseOf(path, body, type)).toEqual({ status: 201, body: expected });
    });

    it('leaves a stream to the handler', async () => {
      const bytes = 'x'.repeat(300_000);
      expect(await responseOf('stream', bytes, 'application/octet-stream', 'PUT')).toEqual({
        status: 200,
        body: { text: bytes },
      });
    });

    it('takes what express.json() of a module has read, though it is larger than 100 KiB', async () => {
      const body = JSON.stringify({ items: Array.from({ length: 100_000 }, (_, i) => i) });
      expect(await responseOf('own-json', body)).toEqual({ status: 201, body: { items: 100_000 } });
    });

    it('refuses malformed JSON to express.json() of a module with 400', async () => {
      expect((await ask('own-json', '{')).status).toBe(400);
    });

    it.each([
      ['property', 'text/plain'],
      ['whole', 'multipart/form-data; boundary=x'],
      ['whole', 'application/x-www-form-urlencoded'],
      ['upload', 'text/plain'],
      ['uploads', 'application/json'],
      ['csv', 'text/plain'],
      ['csv', 'application/json'],
      ['patch', 'application/ld+json'],
    ])('refuses what %s does not declare, %s, with 415', async (path, type) => {
      expectErrorResponse(await ask(path, '{"name":"Rex"}', type), 415, 'unsupported_media_type');
    });

    it('does not care about the body of a GET that takes none', async () => {
      expect((await ask('without-body', '{', 'application/json', 'GET')).status).toBe(200);
    });

    it('refuses a body of more than 100 KiB with 413', async () => {
      for (const path of ['property', 'watched', 'raw', 'request']) {
        expectErrorResponse(await ask(path, `"${'x'.repeat(102_400)}"`), 413, 'payload_too_large');
      }
    });

    it('asks for the body of a client that waits for 100 Continue, wherever it goes', async () => {
      const { petstore, key } = scene();
      for (const [path, type] of [
        ['whole', 'application/json'],
        ['stream', 'text/plain'],
      ] as const) {
        const method = path === 'stream' ? 'PUT' : 'POST';
        const headers = [bearer(key), ['Content-Type', type], ['Expect', '100-continue']] as const;
        const bytes = requestBytes({ method, path: `${PATH}/${path}`, headers, body: '{}' });
        expect((await sendBytes(petstore, bytes, method)).status).toBe(method === 'PUT' ? 200 : 201);
      }
    });
  },
};
