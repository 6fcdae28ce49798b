import { Controller, Get, HttpCode, Module, Post, Redirect, Res, StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import { of } from 'rxjs';
import { Idempotent } from '../../src/idempotency/idempotent.decorator.js';
import { asText } from './read-body.js';
import type { Topic } from './topics.js';

@Controller({ path: 'on-idempotent', version: '1' })
class IdempotentController {
  private calls = 0;

  @Post('string')
  @Idempotent()
  string(): string {
    return `call ${++this.calls}`;
  }

  @Post('number')
  @Idempotent()
  number(): number {
    return ++this.calls;
  }

  @Post('array')
  @Idempotent()
  array(): unknown[] {
    return [9223372036854775807n, ++this.calls];
  }

  @Post('observable')
  @Idempotent()
  observable(): unknown {
    return of({ calls: ++this.calls });
  }

  @Post('nothing')
  @Idempotent()
  @HttpCode(204)
  nothing(): void {
    this.calls++;
  }

  @Post('failure')
  @Idempotent()
  @HttpCode(500)
  failure(): object {
    return { calls: ++this.calls };
  }

  @Post('redirect')
  @Idempotent()
  @Redirect()
  redirect(): { url: string; statusCode: number } {
    return { url: `/v1/on-idempotent/${++this.calls}`, statusCode: 303 };
  }

  @Post('passthrough')
  @Idempotent()
  passthrough(@Res({ passthrough: true }) response: Response): object {
    response.status(202).setHeader('Location', `/v1/on-idempotent/${++this.calls}`);
    return {};
  }

  @Post('file')
  @Idempotent()
  file(): StreamableFile {
    return new StreamableFile(Buffer.from(String(++this.calls)));
  }

  @Get('calls')
  count(): object {
    return { calls: this.calls };
  }
}

@Module({ controllers: [IdempotentController] })
class IdempotentModule {}

export const idempotent: Topic = {
  name: 'with @Idempotent()',
  module: IdempotentModule,
  tests(scene) {
    const post = (path: string) =>
      scene()
        .client.post(`/v1/on-idempotent/${path}`)
        .set('Idempotency-Key', path)
        .redirects(0)
        .buffer()
        .parse(asText);
    const calls = async () => (await scene().client.get('/v1/on-idempotent/calls')).body;

    it.each(['string', 'number', 'array', 'observable', 'nothing', 'redirect', 'passthrough'])(
      'sends a repeat what the first request got: %s',
      async (path) => {
        const first = await post(path);
        expect(first.status).toBeLessThan(400);
        const before = await calls();
        const { status, body, headers } = await post(path);
        expect({ status, body }).toEqual({ status: first.status, body: first.body });
        for (const name of ['content-type', 'content-length', 'location']) {
          expect({ name, value: headers[name] }).toEqual({ name, value: first.headers[name] });
        }
        expect(headers['idempotent-replayed']).toBe('true');
        expect(await calls()).toEqual(before);
      },
    );

    it('sends a repeat a 500 that the handler has returned', async () => {
      const first = await post('failure');
      const { status, body, headers } = await post('failure');
      expect({ status, body }).toEqual({ status: 500, body: first.body });
      expect(headers['idempotent-replayed']).toBe('true');
    });

    it('refuses what it cannot store, and does nothing', async () => {
      expect((await post('file')).status).toBe(500);
      expect((await post('file')).headers).not.toHaveProperty('idempotent-replayed');
    });

    it('is refused on a handler that sends its response by itself', () => {
      expect(() => {
        class Own {
          @Post()
          @Idempotent()
          create(@Res() response: Response): void {
            response.end();
          }
        }
        return Own;
      }).toThrow('@Idempotent() on Own.create needs @Res({ passthrough: true })');
    });
  },
};
