import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type CallHandler,
  Controller,
  type ExecutionContext,
  Get,
  HttpException,
  Injectable,
  Module,
  type NestInterceptor,
  Param,
  ParseIntPipe,
  Sse,
  UseInterceptors,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Response } from 'express';
import { isObservable, map, of } from 'rxjs';
import { type DirectInterceptor, enableDirectInterceptors } from './direct-interceptors.js';

/** Which way each interceptor ran. */
const ways: string[] = [];

function wrapping(name: string) {
  @Injectable()
  class Wrapping implements DirectInterceptor {
    intercept(context: ExecutionContext, next: CallHandler<unknown>) {
      this.enter('standard', context);
      return next.handle().pipe(map((value) => ({ [name]: value })));
    }

    async around(context: ExecutionContext, next: () => Promise<unknown>) {
      this.enter('direct', context);
      const result = await next();
      return isObservable(result) ? result.pipe(map((value) => ({ [name]: value }))) : { [name]: result };
    }

    private enter(way: string, context: ExecutionContext): void {
      ways.push(way);
      const of = `${context.getType()} ${context.getClass().name}.${context.getHandler().name}`;
      context.switchToHttp().getResponse<Response>().append('entered', `${name} ${of}`);
    }
  }
  return Wrapping;
}

@Injectable()
class Standard implements NestInterceptor<unknown, unknown> {
  intercept(_context: ExecutionContext, next: CallHandler<unknown>) {
    return next.handle().pipe(map((value) => ({ standard: value })));
  }
}

const Outer = wrapping('outer');
const Inner = wrapping('inner');

@Controller()
@UseInterceptors(Outer, Inner)
class Routes {
  @Get('value')
  value() {
    return 1;
  }

  @Get('promise')
  promise() {
    return Promise.resolve(1);
  }

  @Get('observable')
  observable() {
    return of(1, 2);
  }

  @Get('nothing')
  nothing() {
    return undefined;
  }

  @Get('throws')
  throws() {
    throw new HttpException('teapot', 418);
  }

  @Get('rejects')
  rejects() {
    return Promise.reject(new HttpException('late', 409));
  }

  @Get('piped/:id')
  piped(@Param('id', ParseIntPipe) id: number) {
    return id;
  }

  @Get('mixed')
  @UseInterceptors(Standard)
  mixed() {
    return 1;
  }

  @Sse('events')
  events() {
    return of({ data: 1 }, { data: 2 });
  }
}

@Module({ controllers: [Routes] })
class RoutesModule {}

const PATHS = ['value', 'promise', 'observable', 'nothing', 'throws', 'rejects', 'piped/7', 'piped/x'];
const DECLINED = ['mixed', 'events'];

describe('enableDirectInterceptors', () => {
  const apps: NestExpressApplication[] = [];

  async function start(direct: boolean): Promise<string> {
    const app = await NestFactory.create<NestExpressApplication>(RoutesModule, { logger: false });
    apps.push(app);
    if (direct) expect(enableDirectInterceptors(app)).toBe(true);
    await app.listen(0, '127.0.0.1');
    return app.getUrl();
  }

  async function get(url: string) {
    ways.length = 0;
    const response = await fetch(url);
    const sent = {
      status: response.status,
      entered: response.headers.get('entered'),
      body: await response.text(),
    };
    return { sent, ways: [...ways] };
  }

  let direct: string;
  let standard: string;

  beforeAll(async () => {
    [direct, standard] = [await start(true), await start(false)];
  });

  afterAll(() => Promise.all(apps.map((app) => app.close())));

  it.each(PATHS)('sends for /%s what the standard way sends, without it', async (path) => {
    const [one, other] = [await get(`${direct}/${path}`), await get(`${standard}/${path}`)];
    expect(one.sent).toEqual(other.sent);
    expect(one.ways).toEqual(['direct', 'direct']);
    expect(other.ways).toEqual(['standard', 'standard']);
  });

  it.each(DECLINED)('leaves /%s to the standard way', async (path) => {
    const [one, other] = [await get(`${direct}/${path}`), await get(`${standard}/${path}`)];
    expect(one).toEqual(other);
    expect(one.ways).toEqual(['standard', 'standard']);
  });

  it('uses the internals of the version of Nest that was read', async () => {
    // Before a newer one is entered here: read router/router-execution-context.js and interceptors/ for changes.
    const text = await readFile(join(import.meta.dirname, '../../../package.json'), 'utf8');
    const manifest = JSON.parse(text) as { dependencies: Record<string, string> };
    expect(manifest.dependencies['@nestjs/core']).toBe('12.5.1');
  });
});
