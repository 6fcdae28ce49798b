import {
  Body,
  type CallHandler,
  ClassSerializerInterceptor,
  Controller,
  type ExecutionContext,
  Get,
  Injectable,
  Module,
  type NestInterceptor,
  Post,
  SerializeOptions,
  UseInterceptors,
} from '@nestjs/common';
import { IsInt, IsString } from 'class-validator';
import { ApiOkResponse, ApiProperty } from '@nestjs/swagger';
import { Exclude, Expose } from 'class-transformer';
import { map, of, type Observable, tap } from 'rxjs';
import { Paged } from '../../src/openapi/decorators/paged.decorator.js';
import { Idempotent } from '../../src/idempotency/idempotent.decorator.js';
import { Page } from '../../src/kernel/pagination/page.js';
import type { Topic } from './topics.js';

/** The response mapping of the documentation's chapter on interceptors. */
@Injectable()
class TransformInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    return next.handle().pipe(map((data) => ({ data })));
  }
}

/** Its logging: what passes is not changed. */
@Injectable()
class LoggingInterceptor implements NestInterceptor {
  static readonly seen: unknown[] = [];

  intercept(_context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    return next.handle().pipe(tap((data) => LoggingInterceptor.seen.push(data)));
  }
}

/** Its stream overriding: a handler runs once. */
@Injectable()
class CacheInterceptor implements NestInterceptor {
  private cached: unknown;

  intercept(_context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    if (this.cached !== undefined) return of(this.cached);
    return next.handle().pipe(tap((data) => (this.cached = data)));
  }
}

class ItemDto {
  @ApiProperty()
  id!: number;
}

class NewItemDto {
  @IsString()
  name!: string;

  @IsInt()
  categoryId!: number;
}

const page = () => Promise.resolve(new Page([{ id: 1 }, { id: 2 }], 'AAAAAAAAAABThv7qlTs2QPg'));
const LINK = /^<http:\/\/petstore\.test\/v1\/[\w/-]+\?cursor=AAAAAAAAAABThv7qlTs2QPg>; rel="next"$/;

@Controller({ path: 'on-interceptors/methods', version: '1' })
class MethodsController {
  private calls = 0;

  @Get('above')
  @UseInterceptors(TransformInterceptor)
  @Paged(ItemDto, { description: 'A page.' })
  above(): Promise<Page<ItemDto>> {
    return page();
  }

  @Get('below')
  @Paged(ItemDto, { description: 'A page.' })
  @UseInterceptors(TransformInterceptor)
  below(): Promise<Page<ItemDto>> {
    return page();
  }

  @Get('logged')
  @UseInterceptors(LoggingInterceptor)
  @Paged(ItemDto, { description: 'A page.' })
  logged(): Promise<Page<ItemDto>> {
    return page();
  }

  @Get('object')
  @UseInterceptors(TransformInterceptor)
  object(): object {
    return { id: 9007199254740993n };
  }

  @Get('cached')
  @UseInterceptors(CacheInterceptor)
  cached(): object {
    return { calls: ++this.calls };
  }

  @Post('idempotent-above')
  @UseInterceptors(TransformInterceptor)
  @Idempotent()
  idempotentAbove(@Body() { name }: NewItemDto): object {
    return { name, calls: ++this.calls };
  }

  @Post('idempotent-below')
  @Idempotent()
  @UseInterceptors(TransformInterceptor)
  idempotentBelow(@Body() { name }: NewItemDto): object {
    return { name, calls: ++this.calls };
  }
}

@Controller({ path: 'on-interceptors/classes', version: '1' })
@UseInterceptors(TransformInterceptor)
class ClassesController {
  private calls = 0;

  @Get('page')
  @Paged(ItemDto, { description: 'A page.' })
  list(): Promise<Page<ItemDto>> {
    return page();
  }

  @Post('idempotent')
  @Idempotent()
  create(@Body() { name }: NewItemDto): object {
    return { name, calls: ++this.calls };
  }
}

class UserEntity {
  id!: bigint;
  firstName!: string;
  lastName!: string;

  @Exclude()
  password!: string;

  @Expose()
  get fullName(): string {
    return `${this.firstName} ${this.lastName}`;
  }

  @Expose({ groups: ['admin'] })
  email!: string;

  constructor(partial: Partial<UserEntity>) {
    Object.assign(this, partial);
  }
}

const USER = {
  id: 9223372036854775807n,
  firstName: 'Kamil',
  lastName: 'Mysliwiec',
  password: 'secret',
  email: 'a@b.c',
};
const SERIALIZED = `{"id":9223372036854775807,"firstName":"Kamil","lastName":"Mysliwiec","fullName":"Kamil Mysliwiec"}`;

@Controller({ path: 'on-interceptors/serializer', version: '1' })
@UseInterceptors(ClassSerializerInterceptor)
class SerializerController {
  @Get('one')
  one(): UserEntity {
    return new UserEntity(USER);
  }

  @Get('many')
  many(): UserEntity[] {
    return [new UserEntity(USER)];
  }

  @Get('page')
  @Paged(ItemDto, { description: 'A page.' })
  page(): Page<UserEntity> {
    return new Page([new UserEntity(USER)], 'AAAAAAAAAABThv7qlTs2QPg');
  }

  @Get('admin')
  @SerializeOptions({ groups: ['admin'] })
  admin(): UserEntity {
    return new UserEntity(USER);
  }

  @Get('plain')
  @SerializeOptions({ type: UserEntity })
  @ApiOkResponse({ type: UserEntity })
  plain(): object {
    return { ...USER };
  }

  @Post('idempotent')
  @UseInterceptors(ClassSerializerInterceptor)
  @Idempotent()
  idempotent(@Body() { name }: NewItemDto): UserEntity {
    return new UserEntity({ ...USER, firstName: name });
  }

  @Post('idempotent-secret')
  @Idempotent()
  idempotentSecret(@Body() { name }: NewItemDto): UserEntity {
    return new UserEntity({ ...USER, firstName: name });
  }
}

@Module({ controllers: [MethodsController, ClassesController, SerializerController] })
class InterceptorsModule {}

export const interceptors: Topic = {
  name: 'with interceptors',
  module: InterceptorsModule,
  tests(scene) {
    const get = (path: string) => scene().client.get(`/v1/on-interceptors/${path}`);
    const post = (path: string, key: string) =>
      scene()
        .client.post(`/v1/on-interceptors/${path}`)
        .set('Idempotency-Key', key)
        .send({ name: 'Rex', categoryId: 1 });

    it.each(['methods/above', 'methods/below', 'classes/page'])(
      'maps a page as the array that it is for a client, and keeps the Link: %s',
      async (path) => {
        const { status, body, headers } = await get(path);
        expect({ status, body }).toEqual({ status: 200, body: { data: [{ id: 1 }, { id: 2 }] } });
        expect(headers.link).toMatch(LINK);
      },
    );

    it('sees the array of a page where it changes nothing', async () => {
      const { body, headers } = await get('methods/logged');
      expect(body).toEqual([{ id: 1 }, { id: 2 }]);
      expect(LoggingInterceptor.seen).toEqual([body]);
      expect(headers.link).toMatch(LINK);
    });

    it('maps an object with every digit of its numbers', async () => {
      expect((await get('methods/object')).text).toBe('{"data":{"id":9007199254740993}}');
    });

    it('takes the place of the handler', async () => {
      const bodies = [await get('methods/cached'), await get('methods/cached')].map(({ body }) => body);
      expect(bodies[0]).toEqual(bodies[1]);
    });

    it.each(['methods/idempotent-above', 'methods/idempotent-below', 'classes/idempotent'])(
      'maps an idempotent response once, and a repeat gets the same: %s',
      async (path) => {
        const [first, second] = [await post(path, path), await post(path, path)];
        expect(first).toMatchObject({ status: 201, body: { data: { name: 'Rex' } } });
        expect(second.status).toBe(201);
        expect(second.text).toBe(first.text);
        expect(second.headers['idempotent-replayed']).toBe('true');
      },
    );

    it.each([
      ['one', SERIALIZED],
      ['many', `[${SERIALIZED}]`],
      ['page', `[${SERIALIZED}]`],
      ['plain', SERIALIZED],
    ])('serializes classes as class-transformer says: %s', async (path, expected) => {
      const { status, text } = await get(`serializer/${path}`);
      expect({ status, text }).toEqual({ status: 200, text: expected });
    });

    it('serializes by the options of the handler', async () => {
      expect((await get('serializer/admin')).body).toMatchObject({ email: 'a@b.c' });
    });

    it('leaves what is excluded out of an idempotent response, of the stored one too', async () => {
      const first = await post('serializer/idempotent', 'serializer');
      expect(first.text).toBe(SERIALIZED.replaceAll('Kamil', 'Rex'));
      expect((await post('serializer/idempotent', 'serializer')).text).toBe(first.text);
      const stored = await scene().petstore.query<{ body: string }>('SELECT body FROM idempotent_answers');
      expect(stored.map(({ body }) => body).join()).not.toContain('secret');
    });

    it('stores nothing that an interceptor around the storing would have hidden', async () => {
      expect((await post('serializer/idempotent-secret', 'secret')).status).toBe(500);
      const stored = await scene().petstore.query<{ body: string }>('SELECT body FROM idempotent_answers');
      expect(stored.map(({ body }) => body).join()).not.toContain('secret');
    });
  },
};
