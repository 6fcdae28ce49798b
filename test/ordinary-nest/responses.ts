import {
  Controller,
  Delete,
  Get,
  Header,
  Headers,
  HttpCode,
  Module,
  Param,
  Post,
  Put,
  Query,
  Redirect,
  Req,
  Res,
} from '@nestjs/common';
import { ApiOkResponse, ApiProduces } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { of, throwError } from 'rxjs';
import { expectedVersion } from '../../src/http/conditional/etag.js';
import { asBytes, asText } from './read-body.js';
import type { Topic } from './topics.js';

const MAX = 9223372036854775807n;

@Controller({ path: 'on-responses', version: '1' })
class ResponsesController {
  @Get('string')
  string(): string {
    return 'hello';
  }

  @Get('number')
  number(): number {
    return 5;
  }

  @Get('boolean')
  boolean(): boolean {
    return false;
  }

  @Get('null')
  null(): null {
    return null;
  }

  @Get('nothing')
  nothing(): void {
    // what a handler without a return gives
  }

  @Get('array')
  array(): unknown[] {
    return [1, 'two', { three: MAX }];
  }

  @Get('buffer')
  @Header('Content-Type', 'image/png')
  buffer(): Buffer {
    return Buffer.from([1, 2, 3, 255]);
  }

  @Get('bytes')
  bytes(): Uint8Array {
    return new Uint8Array([0, 1, 2, 3, 4]).subarray(1, 4);
  }

  @Get('observable')
  observable(): unknown {
    return of({ at: 1 }, { at: 2 });
  }

  @Get('failing-observable')
  failing(): unknown {
    return throwError(() => new Error('on purpose'));
  }

  @Get('redirect')
  @Redirect('https://nestjs.com', 301)
  redirect(): void {
    // the decorator says where to
  }

  @Get('redirect-to')
  @Redirect('https://docs.nestjs.com', 302)
  redirectTo(@Query('version') version?: string): { url: string } | undefined {
    return version === '5' ? { url: 'https://docs.nestjs.com/v5/' } : undefined;
  }

  @Delete('item')
  @HttpCode(204)
  remove(): object {
    return { removed: true };
  }

  @Post('accepted')
  @HttpCode(202)
  @Header('X-Custom', 'yes')
  accepted(): object {
    return {};
  }

  @Get('csv')
  @Header('Content-Type', 'text/csv')
  csv(): string {
    return 'id,name\n1,Rex\n';
  }

  @Get('vendor')
  @Header('Content-Type', 'application/vnd.petstore+json')
  vendor(): object {
    return { id: MAX };
  }

  @Get('failing-csv')
  @Header('Content-Type', 'text/csv')
  failingCsv(): string {
    throw new Error('on purpose');
  }

  @Get('produces')
  @ApiProduces('application/xml')
  @Header('Content-Type', 'application/xml')
  xml(): string {
    return '<pet/>';
  }

  @Get('documented')
  @ApiOkResponse({ schema: { type: 'object' } })
  documented(): object {
    return {};
  }

  @Get('passthrough')
  passthrough(@Res({ passthrough: true }) response: Response): object {
    response.status(203).setHeader('X-Custom', 'yes');
    return { id: MAX };
  }

  @Get('own-json')
  ownJson(@Res() response: Response): void {
    response.status(200).json({ id: MAX });
  }

  @Get('own-send')
  ownSend(@Res() response: Response): void {
    response.send({ id: MAX });
  }

  @Get('own-text')
  ownText(@Res() response: Response): void {
    response.type('text/plain').send('hello');
  }

  @Get('own-end')
  ownEnd(@Res() response: Response): void {
    response.status(202).end();
  }

  @Get('own-parts')
  ownParts(@Res() response: Response): void {
    response.json({ id: 1 });
    if (!response.writableEnded) response.end(); // as a handler may that does not know what json() did
  }

  @Get('etag')
  etag(@Res({ passthrough: true }) response: Response): object {
    response.setHeader('ETag', 'W/"7"');
    return { version: 7 };
  }

  @Get('etag-text')
  @Header('Content-Type', 'text/csv')
  @Header('ETag', '"7"')
  etagText(): string {
    return 'id\n7\n';
  }

  @Get('last-modified')
  @Header('Last-Modified', 'Thu, 01 Jan 2026 00:00:00 GMT')
  lastModified(): object {
    return { version: 7 };
  }

  @Put('versions/:version')
  change(@Param('version') version: string, @Headers('If-Match') ifMatch?: string): object {
    expectedVersion(ifMatch).check(`"${version}"`);
    return { changed: version };
  }

  @Get('request')
  request(@Req() request: Request): object {
    return { url: request.originalUrl };
  }
}

@Module({ controllers: [ResponsesController] })
class ResponsesModule {}

export const responses: Topic = {
  name: 'with responses',
  module: ResponsesModule,
  tests(scene) {
    const get = (path: string, headers: Record<string, string> = {}) =>
      scene().client.get(`/v1/on-responses/${path}`).set(headers);
    const HTML = 'text/html; charset=utf-8';
    const JSON_TYPE = 'application/json';

    it.each([
      ['string', HTML, 'hello'],
      ['number', HTML, '5'],
      ['boolean', HTML, 'false'],
      ['null', undefined, ''],
      ['nothing', undefined, ''],
      ['array', JSON_TYPE, `[1,"two",{"three":${MAX}}]`],
      ['observable', JSON_TYPE, '{"at":2}'],
      ['csv', 'text/csv; charset=utf-8', 'id,name\n1,Rex\n'],
      ['vendor', 'application/vnd.petstore+json', `{"id":${MAX}}`],
      ['produces', 'application/xml; charset=utf-8', '<pet/>'],
      ['own-json', JSON_TYPE, `{"id":${MAX}}`],
      ['own-send', JSON_TYPE, `{"id":${MAX}}`],
      ['own-text', 'text/plain; charset=utf-8', 'hello'],
      ['own-parts', JSON_TYPE, '{"id":1}'],
    ])('sends what a handler returns: %s', async (path, type, body) => {
      const response = await get(path).buffer().parse(asText);
      expect({
        status: response.status,
        type: response.headers['content-type'],
        body: response.body,
      }).toEqual({ status: 200, type, body });
      const head = await scene().client.head(`/v1/on-responses/${path}`);
      expect({ status: head.status, type: head.headers['content-type'] }).toEqual({ status: 200, type });
      expect(head.headers['content-length'] ?? '0').toBe(String(Buffer.byteLength(body)));
    });

    it.each([
      ['buffer', 'image/png', [1, 2, 3, 255]],
      ['bytes', 'application/octet-stream', [1, 2, 3]],
    ])('sends bytes as they are: %s', async (path, type, bytes) => {
      const { headers, body } = await get(path).buffer().parse(asBytes);
      expect({ type: headers['content-type'], bytes: [...(body as Buffer)] }).toEqual({ type, bytes });
    });

    it('sends status and headers that decorators and the handler set', async () => {
      expect(await get('passthrough')).toMatchObject({
        status: 203,
        text: `{"id":${MAX}}`,
        headers: { 'x-custom': 'yes' },
      });
      expect(await scene().client.post('/v1/on-responses/accepted')).toMatchObject({
        status: 202,
        headers: { 'x-custom': 'yes' },
      });
      expect(await get('own-end')).toMatchObject({ status: 202, text: '' });
    });

    it('sends no content with a 204, whatever the handler returns', async () => {
      const { status, text, headers } = await scene().client.delete('/v1/on-responses/item');
      expect({ status, text }).toEqual({ status: 204, text: '' });
      expect(headers).not.toHaveProperty('content-type');
      expect(headers).not.toHaveProperty('content-length');
    });

    it.each([
      ['redirect', 301, 'https://nestjs.com'],
      ['redirect-to', 302, 'https://docs.nestjs.com'],
      ['redirect-to?version=5', 302, 'https://docs.nestjs.com/v5/'],
    ])('redirects: %s', async (path, status, location) => {
      const response = await get(path).redirects(0);
      expect({ status: response.status, location: response.headers.location }).toEqual({ status, location });
    });

    it.each(['failing-observable', 'failing-csv'])('turns a failure into an Error: %s', async (path) => {
      const { status, headers, body } = await get(path);
      expect({ status, type: headers['content-type'] }).toEqual({ status: 500, type: JSON_TYPE });
      expect(body).toMatchObject({ code: 'internal_error' });
    });

    it.each([
      ['csv', 'text/csv', 200],
      ['csv', 'text/csv; charset=utf-8', 200],
      ['csv', 'text/*', 200],
      ['csv', JSON_TYPE, 406],
      ['vendor', 'application/vnd.petstore+json', 200],
      ['vendor', JSON_TYPE, 406],
      ['produces', 'application/xml', 200],
      ['produces', 'text/html', 406],
      ['documented', JSON_TYPE, 200],
      ['documented', 'text/html', 406],
      ['string', 'text/html', 200],
      ['string', 'text/plain', 200],
      ['own-text', 'text/plain', 200],
      ['redirect', 'text/html', 301],
    ])('judges Accept against what the route declares: %s for %s is %i', async (path, accept, status) => {
      expect((await get(path, { Accept: accept }).redirects(0)).status).toBe(status);
    });

    it.each(['etag', 'etag-text'])(
      "keeps a handler's own ETag, and responds with 304 to it: %s",
      async (path) => {
        const own = path === 'etag' ? 'W/"7"' : '"7"';
        expect(await get(path)).toMatchObject({ status: 200, headers: { etag: own } });
        for (const known of ['"7"', 'W/"7"', '"6", W/"7"', '*']) {
          const { status, text, headers } = await get(path, { 'If-None-Match': known });
          expect({ known, status, text, etag: headers.etag }).toEqual({
            known,
            status: 304,
            text: '',
            etag: own,
          });
        }
        expect((await get(path, { 'If-None-Match': '"8"' })).status).toBe(200);
      },
    );

    it('gives JSON of its own making an ETag too', async () => {
      const { headers } = await get('own-json');
      expect((await get('own-json', { 'If-None-Match': String(headers.etag) })).status).toBe(304);
    });

    it("honours a handler's Last-Modified", async () => {
      const since = { 'If-Modified-Since': 'Thu, 01 Jan 2026 00:00:00 GMT' };
      expect((await get('last-modified', since)).status).toBe(304);
      expect((await get('array', since)).status).toBe(200);
    });

    it.each([
      [undefined, 200],
      ['*', 200],
      ['"7"', 200],
      ['"6", "7"', 200],
      ['"6"', 412],
      ['W/"7"', 412],
      ['7', 412],
      ['', 412],
    ])('changes what If-Match %s names, or refuses: %i', async (ifMatch, status) => {
      const request = scene().client.put('/v1/on-responses/versions/7');
      if (ifMatch !== undefined) request.set('If-Match', ifMatch);
      expect((await request).status).toBe(status);
    });

    it('responds to OPTIONS with the methods of the path', async () => {
      const { status, headers } = await scene().client.options('/v1/on-responses/item');
      expect({ status, allow: headers.allow }).toEqual({ status: 204, allow: 'DELETE, OPTIONS' });
    });
  },
};
