import {
  type ArgumentsHost,
  Body,
  type CanActivate,
  Catch,
  ConflictException,
  Controller,
  DefaultValuePipe,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  HttpCode,
  Inject,
  Injectable,
  type MessageEvent,
  type MiddlewareConsumer,
  Module,
  type NestMiddleware,
  type NestModule,
  type OnApplicationShutdown,
  type OnModuleInit,
  Param,
  ParseArrayPipe,
  ParseBoolPipe,
  ParseFilePipeBuilder,
  ParseIntPipe,
  Post,
  Query,
  Res,
  Scope,
  ServiceUnavailableException,
  SetMetadata,
  Sse,
  StreamableFile,
  UploadedFile,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, Reflector, REQUEST } from '@nestjs/core';
import { FileInterceptor } from '@nestjs/platform-express';
import { ApiConsumes } from '@nestjs/swagger';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { Type } from 'class-transformer';
import {
  IsArray,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { createReadStream } from 'node:fs';
import express, { type Request, type Response } from 'express';
import { type Observable, of } from 'rxjs';
import { Column, DataSource, Entity, PrimaryGeneratedColumn, Repository } from 'typeorm';
import { Petstore } from '../support/petstore.js';
import { expectErrorResponse } from '../support/promises.js';
import { bearer, send } from '../support/wire.js';
import { AnyKey } from '../../src/platform/index.js';

/** What module authors use every day, written only with what the documentation of Nest and TypeORM shows. */

// Guards

const Roles = (...roles: string[]) => SetMetadata('roles', roles);

@Injectable()
class RolesGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const roles = this.reflector.get<string[] | undefined>('roles', context.getHandler());
    return roles === undefined || roles.includes('keeper');
  }
}

/** Global: it runs after the guards of the service. */
class PrincipalGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    http.getResponse<Response>().setHeader('X-Guarded', String(http.getRequest<Request>().principal?.kind));
    return true;
  }
}

@AnyKey()
@Controller({ path: 'on-guards', version: '1' })
@UseGuards(RolesGuard)
class GuardsController {
  @Get('open')
  open(): object {
    return {};
  }

  @Get('closed')
  @Roles('vet')
  closed(): object {
    return {};
  }
}

// Pipes and DTOs

class Address {
  @IsString()
  @MaxLength(10)
  city!: string;
}

class KeeperDto {
  @IsString()
  @MaxLength(100)
  name!: string;

  @IsOptional()
  @IsObject()
  notes?: object;

  @IsOptional()
  @IsArray()
  tricks?: unknown[];

  @IsInt()
  @Max(99)
  age = 30;

  @ValidateNested()
  @Type(() => Address)
  address!: Address;
}

class FilterDto {
  @IsOptional()
  @IsString()
  city?: string;
}

@AnyKey()
@Controller({ path: 'on-pipes', version: '1' })
class PipesController {
  @Get('int/:number')
  int(@Param('number', ParseIntPipe) number: number): object {
    return { number };
  }

  @Get('defaults')
  defaults(
    @Query('size', new DefaultValuePipe(5), ParseIntPipe) size: number,
    @Query('tags', new ParseArrayPipe({ optional: true })) tags?: string[],
  ): object {
    return { size, tags };
  }

  @Get('flag')
  flag(@Query('on', ParseBoolPipe) on: boolean): object {
    return { on };
  }

  @Get('filtered')
  filtered(@Query() query: FilterDto): object {
    return query;
  }

  @Post('form')
  @HttpCode(200)
  @ApiConsumes('application/x-www-form-urlencoded')
  form(@Body() { city }: Address): object {
    return { city };
  }

  @Post('keepers')
  keepers(@Body() keeper: KeeperDto): object {
    return { keeper, isInstance: keeper instanceof KeeperDto && keeper.address instanceof Address };
  }
}

// Exceptions and filters

class OutOfStock extends Error {}

@Catch(OutOfStock)
class OutOfStockFilter implements ExceptionFilter<OutOfStock> {
  catch(exception: OutOfStock, host: ArgumentsHost): void {
    host.switchToHttp().getResponse<Response>().status(409).json({ mine: exception.message });
  }
}

@Catch(RangeError)
class RangeErrorFilter implements ExceptionFilter<RangeError> {
  catch(exception: RangeError, host: ArgumentsHost): void {
    host.switchToHttp().getResponse<Response>().status(422).json({ global: exception.message });
  }
}

@AnyKey()
@Controller({ path: 'on-filters', version: '1' })
class FiltersController {
  @Get('conflict')
  conflict(): never {
    throw new ConflictException('The name is taken');
  }

  @Get('unavailable')
  unavailable(@Res({ passthrough: true }) response: Response): never {
    response.setHeader('Retry-After', '17');
    throw new ServiceUnavailableException('The moon is down');
  }

  @Get('failure')
  failure(): Promise<never> {
    return Promise.reject(new Error('the password is leak'));
  }

  @Get('own')
  @UseFilters(OutOfStockFilter)
  own(): never {
    throw new OutOfStock('no hay');
  }

  @Get('global')
  global(): never {
    throw new RangeError('too far');
  }
}

// Bodies and uploads

/** What `@types/multer` describes. */
interface StoredFile {
  readonly originalname: string;
  readonly buffer: Buffer;
}

@AnyKey()
@Controller({ path: 'on-bodies', version: '1' })
class BodiesController {
  @Post('upload')
  @ApiConsumes('multipart/form-data')
  @UseInterceptors(FileInterceptor('file'))
  upload(@UploadedFile() file: StoredFile, @Body() fields: Record<string, string>): object {
    return { name: file.originalname, size: file.buffer.length, fields: { ...fields } };
  }

  @Post('picture')
  @ApiConsumes('multipart/form-data')
  @UseInterceptors(FileInterceptor('file'))
  picture(
    @UploadedFile(new ParseFilePipeBuilder().addMaxSizeValidator({ maxSize: 10 }).build()) file: StoredFile,
  ): object {
    return { size: file.buffer.length };
  }

  @Post('named')
  named(@Body('name') name: unknown, @Body('other') other: unknown): object {
    return { name, other };
  }

  @Post('named-form')
  @UseInterceptors(FileInterceptor('file'))
  namedForm(@Body('name') name: unknown): object {
    return { name };
  }

  @Post('named-text')
  @ApiConsumes('text/csv')
  namedText(@Body('name') name: unknown): object {
    return { name };
  }

  @Post('large')
  large(@Body('items') items: unknown[]): object {
    return { items: items.length };
  }
}

// Responses

@AnyKey()
@Controller({ path: 'on-responses', version: '1' })
class ResponsesController {
  @Get('file')
  file(): StreamableFile {
    return new StreamableFile(Buffer.from('id\n1\n'), {
      type: 'text/csv',
      disposition: 'attachment; filename="pets.csv"',
    });
  }

  @Get('gone')
  gone(): StreamableFile {
    const file = new StreamableFile(createReadStream('does-not-exist'), { type: 'text/csv', length: 99 });
    return file.setErrorHandler((_, response) => {
      response.statusCode = 404;
      response.send('gone');
    });
  }

  @Get('late')
  async late(): Promise<StreamableFile> {
    const stream = createReadStream('does-not-exist');
    await new Promise((resolve) => stream.once('error', resolve));
    return new StreamableFile(stream).setErrorHandler((_, response) => {
      response.statusCode = 410;
      response.send('gone earlier');
    });
  }

  @Get('kept')
  kept(): StreamableFile {
    return new StreamableFile(Buffer.from('id\n1\n')).setErrorHandler(() => undefined);
  }

  @Get('missing')
  missing(): StreamableFile {
    return new StreamableFile(createReadStream('does-not-exist'));
  }

  @Sse('events')
  events(): Observable<MessageEvent> {
    return of({ data: { n: 1 } }, { data: { n: 2 } });
  }
}

// Providers and middleware

@Injectable()
class StampMiddleware implements NestMiddleware {
  use(request: Request, response: Response, next: () => void): void {
    response.setHeader('X-Stamped', request.originalUrl);
    next();
  }
}

/** Acts at the head of a response, as middleware for compression, sessions or response times does. */
function atHead(_request: Request, response: Response, next: () => void): void {
  const writeHead = response.writeHead.bind(response);
  response.writeHead = ((...args: Parameters<typeof writeHead>) => {
    response.setHeader('X-Began', 'true');
    return writeHead(...args);
  }) as Response['writeHead']; // it has overloads
  next();
}

@Injectable({ scope: Scope.REQUEST })
class Visit {
  constructor(@Inject(REQUEST) readonly request: Request) {}
}

@AnyKey()
@Controller({ path: 'on-providers', version: '1' })
class ProvidersController {
  constructor(
    private readonly visit: Visit,
    @Inject('MOTTO') private readonly motto: string,
  ) {}

  @Get(':number')
  get(): object {
    const { params, principal } = this.visit.request;
    return { number: params.number, client: principal?.kind, motto: this.motto };
  }
}

// TypeORM

@Entity('on_toys')
class Toy {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column('text', { unique: true })
  name!: string;
}

@Injectable()
class ToysService implements OnModuleInit, OnApplicationShutdown {
  rowsAtShutdown?: number;

  constructor(
    @InjectRepository(Toy) private readonly toys: Repository<Toy>,
    private readonly dataSource: DataSource,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.dataSource.query('CREATE TABLE on_toys (id serial PRIMARY KEY, name text NOT NULL UNIQUE)');
  }

  async onApplicationShutdown(): Promise<void> {
    this.rowsAtShutdown = await this.toys.count();
  }

  /** Saves both or neither. */
  async addTwo(first: string, second: string): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      const toys = manager.getRepository(Toy);
      await toys.insert({ name: first });
      await toys.insert({ name: second });
    });
  }

  async addByHand(name: string, commits: boolean): Promise<void> {
    const runner = this.dataSource.createQueryRunner();
    await runner.startTransaction();
    try {
      await runner.manager.insert(Toy, { name });
      // A savepoint of its own
      await runner.manager.transaction((manager) => manager.insert(Toy, { name: `${name} 2` }));
      await (commits ? runner.commitTransaction() : runner.rollbackTransaction());
    } finally {
      await runner.release();
    }
  }
}

@AnyKey()
@Controller({ path: 'on-toys', version: '1' })
class ToysController {
  constructor(
    private readonly service: ToysService,
    @InjectRepository(Toy) private readonly toys: Repository<Toy>,
  ) {}

  @Post('transactions')
  async transactions(): Promise<string[]> {
    await this.service.addTwo('kept 1', 'kept 2');
    await this.service.addTwo('lost', 'kept 1').catch(() => undefined); // the unique name is taken
    await this.service.addByHand('by hand', true);
    await this.service.addByHand('rolled back', false);
    const toys = await this.toys.find({ order: { id: 'ASC' } });
    return toys.map(({ name }) => name);
  }
}

@Module({
  imports: [TypeOrmModule.forFeature([Toy])],
  controllers: [
    GuardsController,
    PipesController,
    FiltersController,
    BodiesController,
    ResponsesController,
    ProvidersController,
    ToysController,
  ],
  providers: [
    ToysService,
    Visit,
    { provide: 'MOTTO', useFactory: () => Promise.resolve('Sit!') },
    { provide: APP_GUARD, useClass: PrincipalGuard },
    { provide: APP_FILTER, useClass: RangeErrorFilter },
  ],
})
class DailyModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(express.json({ limit: '1mb' })).forRoutes(BodiesController);
    consumer.apply(StampMiddleware, atHead).forRoutes(ProvidersController);
  }
}

describe('a module written as the Nest documentation shows', () => {
  let petstore: Petstore;
  let client: ReturnType<Petstore['client']>;

  beforeAll(async () => {
    petstore = await Petstore.start({ modules: [DailyModule] });
    client = petstore.client(await petstore.key());
  });
  afterAll(() => petstore.stop());

  it('runs guards after the key check, and refuses with 403 where one returns false', async () => {
    const { headers } = await client.get('/v1/on-guards/open').expect(200);
    expect(headers['x-guarded']).toBe('key');
    const closed = await client.get('/v1/on-guards/closed').expect(403);
    expect(closed.body).toEqual({ code: 'forbidden', message: 'Forbidden resource', status: 403 });
    await petstore.client().get('/v1/on-guards/open').expect(401);
  });

  it.each([
    ['int/7', 200, { number: 7 }],
    ['int/seven', 400, undefined],
    ['defaults', 200, { size: 5 }],
    ['defaults?size=7&tags=a,b', 200, { size: 7, tags: ['a', 'b'] }],
    ['defaults?size=x', 400, undefined],
    ['defaults?size=', 400, undefined],
    ['defaults?size=%20', 400, undefined],
    ['defaults?other=x', 200, { size: 5 }],
    ['flag?on=true', 200, { on: true }],
    ['flag?on=yes', 400, undefined],
    ['filtered?city=Ulm', 200, { city: 'Ulm' }],
    ['filtered?town=Ulm', 400, undefined],
  ])('applies the pipes of Nest: GET %s is %i', async (path, status, body) => {
    const response = await client.get(`/v1/on-pipes/${path}`).expect(status);
    expect(response.body).toEqual(body ?? expect.objectContaining({ status: 400 }));
  });

  it('reports every invalid property of a DTO, nested ones too', async () => {
    const { body } = await client
      .post('/v1/on-pipes/keepers')
      .send({ age: 100, address: { city: 'x'.repeat(11) }, admin: true })
      .expect(400);
    expect(
      (body as { details: { pointer: string; code: string }[] }).details.map(
        ({ pointer, code }) => `${pointer} ${code}`,
      ),
    ).toEqual(
      expect.arrayContaining(['/name required', '/age range', '/address/city length', '/admin unknown']),
    );
  });

  it('reports the type of a property before its other rules', async () => {
    const keeper = { name: 5, address: { city: 'Ulm' } };
    const { body } = await client.post('/v1/on-pipes/keepers').send(keeper).expect(400);
    expect(body).toMatchObject({ details: [{ field: 'name', code: 'type' }] });
  });

  it.each([
    ['"notes":{"of":[{"n":', '}]}', '/notes/of/0/n'],
    ['"notes":{"of":[[', ']]}', '/notes/of/0/0'],
    ['"tricks":[', ']', '/tricks/0'],
  ])('refuses integers beyond 2^53 in untyped values: %sn%s', async (before, after, pointer) => {
    const keeper = (digits: string) =>
      client
        .post('/v1/on-pipes/keepers')
        .type('json')
        .send(`{"name":"Ann","address":{"city":"Ulm"},${before}${digits}${after}}`);
    await keeper('9007199254740991').expect(201);
    const { body } = await keeper('9007199254740993').expect(400);
    expect(body).toMatchObject({ details: [{ pointer, code: 'range' }] });
  });

  it('takes a form where @ApiConsumes() names it', async () => {
    const form = () => client.post('/v1/on-pipes/form');
    expect((await form().type('form').send('city=Bad+Urach').expect(200)).body).toEqual({
      city: 'Bad Urach',
    });
    await form().type('form').send('city=far+too+long+a+name').expect(400);
    for (const large of ['&a=1'.repeat(1_001), `&a${'[b]'.repeat(40)}=1`]) {
      const { body } = await form().type('form').send(`city=Ulm${large}`).expect(400);
      expect(body).toMatchObject({ details: [{ field: 'body', code: 'length' }] });
    }
    const inLatin1 = form().type('application/x-www-form-urlencoded; charset=iso-8859-1');
    expect((await inLatin1.send('city=caf%E9').expect(200)).body).toEqual({ city: 'café' });
    expect((await form().type('form').send('city=caf%C3%A9+100%25').expect(200)).body).toEqual({
      city: 'café 100%',
    });
    await form().send({ city: 'Ulm' }).expect(415);
    await client.post('/v1/on-pipes/keepers').type('form').send('name=Ann').expect(415);
  });

  it.each(['city=caf%E9', 'city=caf\xe9', 'city=100%', 'caf%E9=Ulm', 'city=%ED%A0%80'])(
    'refuses the form %s, which is not UTF-8 in percent-encoding',
    async (text) => {
      const response = await send(petstore, {
        method: 'POST',
        path: '/v1/on-pipes/form',
        headers: [bearer(await petstore.key()), ['Content-Type', 'application/x-www-form-urlencoded']],
        body: Buffer.from(text, 'latin1'),
      });
      expectErrorResponse(response, 400, 'validation_failed');
    },
  );

  it('turns exceptions into the Error body, and hides what an unexpected one says', async () => {
    const conflict = await client.get('/v1/on-filters/conflict').expect(409);
    expect(conflict.body).toEqual({ code: 'conflict', message: 'The name is taken', status: 409 });
    const unavailable = await client.get('/v1/on-filters/unavailable').expect(503);
    expect(unavailable.headers['retry-after']).toBe('17');
    const failure = await client.get('/v1/on-filters/failure').expect(500);
    expect(failure.body).toMatchObject({ code: 'internal_error', status: 500 });
    expect(failure.text).not.toContain('password');
    expect(petstore.log).toContainEqual(
      expect.objectContaining({ requestId: failure.headers['x-request-id'], level: 'error' }),
    );
  });

  it('runs the filters of a route and of APP_FILTER', async () => {
    expect((await client.get('/v1/on-filters/own').expect(409)).body).toEqual({ mine: 'no hay' });
    expect((await client.get('/v1/on-filters/global').expect(422)).body).toEqual({ global: 'too far' });
  });

  it('takes uploads, larger ones than a JSON body too, and checks them by pipes', async () => {
    const post = (path: string) => client.post(`/v1/on-bodies/${path}`);
    const file = Buffer.alloc(200_000);
    const upload = await post('upload').field('name', 'Rex').attach('file', file, 'rex.bin').expect(201);
    expect(upload.body).toEqual({ name: 'rex.bin', size: 200_000, fields: { name: 'Rex' } });
    await post('picture').attach('file', Buffer.alloc(9), 'a').expect(201);
    await post('picture').attach('file', Buffer.alloc(11), 'a').expect(400);
  });

  it('refuses a media type that nobody reads, where a handler takes a member of the body', async () => {
    const post = (path: string) => client.post(`/v1/on-bodies/${path}`);
    expect((await post('named').send({ name: 'Rex' }).expect(201)).body).toEqual({ name: 'Rex' });
    await post('named').expect(201); // no body
    for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'a/b'])
      expect((await post('named').set('Content-Type', type).send('name=Rex').expect(415)).body).toMatchObject(
        {
          code: 'unsupported_media_type',
        },
      );
    expect((await post('named-form').field('name', 'Rex').expect(201)).body).toEqual({ name: 'Rex' });
    await post('named-form').set('Content-Type', 'text/plain').send('name=Rex').expect(415);
    await post('named-text').set('Content-Type', 'text/csv').send('name').expect(201); // the author says that it is read
    await post('named-text').set('Content-Type', 'text/plain').send('name').expect(415);
  });

  it('leaves a larger body to middleware that reads it', async () => {
    const items = Array.from({ length: 100_000 }, (_, i) => i);
    const { body } = await client.post('/v1/on-bodies/large').send({ items }).expect(201);
    expect(body).toEqual({ items: 100_000 });
  });

  it('streams files and server-sent events', async () => {
    const file = await client.get('/v1/on-responses/file').expect(200);
    expect(file.headers['content-disposition']).toBe('attachment; filename="pets.csv"');
    expect(file.text).toBe('id\n1\n');
    const events = await client.get('/v1/on-responses/events').expect(200);
    expect(events.type).toBe('text/event-stream');
    expect(events.text).toContain('id: 1\ndata: {"n":1}\n\nid: 2\ndata: {"n":2}\n\n');
  });

  it('leaves a file that cannot be read to its own error handler; without one, it is an Error', async () => {
    const gone = await client.get('/v1/on-responses/gone').expect(404);
    expect({ text: gone.text, type: gone.type }).toEqual({ text: 'gone', type: 'text/plain' });
    expect((await client.get('/v1/on-responses/late').expect(410)).text).toBe('gone earlier');
    expect((await client.get('/v1/on-responses/kept').expect(200)).headers['content-length']).toBe('5');
    const missing = await client.get('/v1/on-responses/missing').expect(500);
    expect(missing.body).toMatchObject({ code: 'internal_error', status: 500 });
  });

  it('gives each request its own request-scoped provider, waits for async ones, and runs middleware', async () => {
    const visits = await Promise.all(['1', '2'].map((n) => client.get(`/v1/on-providers/${n}`).expect(200)));
    expect(visits.map(({ body }) => body as unknown)).toEqual([
      { number: '1', client: 'key', motto: 'Sit!' },
      { number: '2', client: 'key', motto: 'Sit!' },
    ]);
    expect(visits.map(({ headers }) => headers['x-stamped'])).toEqual([
      '/v1/on-providers/1',
      '/v1/on-providers/2',
    ]);
    expect(visits.map(({ headers }) => headers['x-began'])).toEqual(['true', 'true']);
    const other = await client.get('/v1/on-guards/open').expect(200);
    expect(other.headers).not.toHaveProperty('x-stamped');
  });

  it('commits and rolls back transactions, nested ones and those of a query runner', async () => {
    const { body } = await client.post('/v1/on-toys/transactions').expect(201);
    expect(body).toEqual(['kept 1', 'kept 2', 'by hand', 'by hand 2']);
  });
});

describe('a module at shutdown', () => {
  it('can still use the database in its last hook', async () => {
    const petstore = await Petstore.start({ modules: [DailyModule] });
    const toys = petstore.app.get(ToysService);
    await petstore.stop();
    expect(toys.rowsAtShutdown).toBe(0);
  });
});
