import {
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  Catch,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  Inject,
  Injectable,
  Module,
  type NestInterceptor,
  Post,
  Scope,
  SetMetadata,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, REQUEST } from '@nestjs/core';
import type { Request, Response } from 'express';
import { map, of, type Observable, tap } from 'rxjs';
import { Idempotent } from '../src/idempotency/idempotent.decorator.js';
import { ItemsModule } from './items/items.module.js';
import { Petstore } from './support/petstore.js';

/** Covers the chapters of the Nest documentation about global providers of a module. */

@Injectable()
class TransformInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    return next.handle().pipe(map((data) => ({ data })));
  }
}

/** Like the one of `@nestjs/cache-manager`, with the URL as the key. */
@Injectable()
class CacheInterceptor implements NestInterceptor {
  private readonly cached = new Map<string, unknown>();

  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const { method, originalUrl } = context.switchToHttp().getRequest<Request>();
    if (method !== 'GET') return next.handle();
    if (this.cached.has(originalUrl)) return of(this.cached.get(originalUrl));
    return next.handle().pipe(tap((data) => this.cached.set(originalUrl, data)));
  }
}

@Injectable({ scope: Scope.REQUEST })
class RequestInterceptor implements NestInterceptor {
  constructor(@Inject(REQUEST) private readonly request: Request) {}

  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    context.switchToHttp().getResponse<Response>().setHeader('X-Path', this.request.path);
    return next.handle();
  }
}

@Injectable()
class RolesGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    context.switchToHttp().getResponse<Response>().setHeader('X-Guarded', String(request.principal?.kind));
    return true;
  }
}

class OutOfStock extends Error {}

@Catch(OutOfStock)
class OutOfStockFilter implements ExceptionFilter<OutOfStock> {
  catch(exception: OutOfStock, host: ArgumentsHost): void {
    host.switchToHttp().getResponse<Response>().status(409).json({ mine: exception.message });
  }
}

@Controller({ path: 'global', version: '1' })
class GlobalController {
  private calls = 0;

  @Get('failing')
  failing(): never {
    throw new OutOfStock('by intention');
  }

  @Post('idempotent')
  @Idempotent()
  idempotent(): object {
    return { calls: ++this.calls };
  }
}

const provided = (...providers: { provide: string; useClass: new (...of: never[]) => object }[]) => {
  @Module({ controllers: [GlobalController], providers })
  class GlobalModule {}
  return GlobalModule;
};

async function start(...providers: Parameters<typeof provided>) {
  const petstore = await Petstore.start({ modules: [ItemsModule, provided(...providers)] });
  await petstore.query(
    `INSERT INTO items (name, amount, status) SELECT 'Rex', 1, 'open' FROM generate_series(1, 3)`,
  );
  const client = petstore.client(await petstore.key());
  return { petstore, client };
}

describe('a module that provides APP_INTERCEPTOR, APP_GUARD and APP_FILTER', () => {
  let petstore: Petstore;
  let client: ReturnType<Petstore['client']>;

  beforeAll(async () => {
    ({ petstore, client } = await start(
      { provide: APP_INTERCEPTOR, useClass: TransformInterceptor },
      { provide: APP_INTERCEPTOR, useClass: RequestInterceptor },
      { provide: APP_GUARD, useClass: RolesGuard },
      { provide: APP_FILTER, useClass: OutOfStockFilter },
    ));
  });
  afterAll(() => petstore.stop());

  it('maps the response of every route, and pages keep their Link', async () => {
    const { status, body, headers } = await client.get('/v1/items?limit=2');
    expect({ status, body }).toEqual({ status: 200, body: { data: [expect.anything(), expect.anything()] } });
    expect(headers.link).toMatch(/^<http:\/\/petstore\.test\/v1\/items\?limit=2&cursor=[\w-]+>; rel="next"$/);
    expect((await client.get('/v1/rate-limit')).body).toMatchObject({ data: { plan: 'enterprise' } });
  });

  it('changes nothing but the response', async () => {
    const { headers } = await client.get('/v1/items/1');
    expect(headers).toMatchObject({
      deprecation: '@1795132800',
      etag: expect.any(String),
      'x-path': '/v1/items/1',
      'x-guarded': 'key',
    });
    expect((await client.get('/v1/items/1').set('If-None-Match', String(headers.etag))).status).toBe(304);
    expect((await client.get('/v1/nope')).body).toMatchObject({ code: 'route_not_found' });
    expect((await petstore.client().get('/v1/items')).body).toMatchObject({ code: 'missing_api_key' });
  });

  it('maps an idempotent response once, and a repeat gets the same response', async () => {
    const create = () =>
      client.post('/v1/items').set('Idempotency-Key', 'global').send({ name: 'Rex', amount: 1 });
    const [first, second] = [await create(), await create()];
    expect(first.body).toMatchObject({ data: { name: 'Rex' } });
    expect(second.text).toBe(first.text);
    expect(second.headers['idempotent-replayed']).toBe('true');
  });

  it('catches its own errors', async () => {
    expect(await client.get('/v1/global/failing')).toMatchObject({
      status: 409,
      body: { mine: 'by intention' },
    });
  });
});

describe('a module that provides a cache as APP_INTERCEPTOR', () => {
  let petstore: Petstore;
  let client: ReturnType<Petstore['client']>;

  beforeAll(async () => {
    ({ petstore, client } = await start({ provide: APP_INTERCEPTOR, useClass: CacheInterceptor }));
  });
  afterAll(() => petstore.stop());

  it('responds instead of the handler', async () => {
    const { text } = await client.get('/v1/items').expect(200);
    await client.post('/v1/items').send({ name: 'New', amount: 1 }).expect(201);
    expect((await client.get('/v1/items').expect(200)).text).toBe(text);
  });
});

/** Marked like `@WebSocketGateway()` would. The package is not installed. */
@SetMetadata('websockets:is_gateway', true)
class ChatGateway {}

@Module({ providers: [ChatGateway] })
class ChatModule {}

describe('a WebSocket gateway', () => {
  it('is refused before the service listens', async () => {
    await expect(Petstore.start({ modules: [ChatModule] })).rejects.toThrow(
      /^ChatGateway is a WebSocket gateway, which this service does not support: /,
    );
  });
});
