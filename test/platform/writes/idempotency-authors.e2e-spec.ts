import {
  ArgumentsHost,
  type CallHandler,
  Catch,
  ConflictException,
  ClassSerializerInterceptor,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  Header,
  HttpCode,
  Injectable,
  Module,
  type NestInterceptor,
  Post,
  Query,
  Redirect,
  RequestTimeoutException,
  Res,
  StreamableFile,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { Exclude } from 'class-transformer';
import type { Response } from 'express';
import { once } from 'node:events';
import { connect } from 'node:net';
import { catchError, defer, map, of, raceWith, Subject, tap, type Observable } from 'rxjs';
import {
  AnyKey,
  Changes,
  Idempotent,
  Page,
  UnitOfWork,
  violatedConstraint,
} from '../../../src/platform/index.js';
import { Item, ItemStatus } from '../../items/item.entity.js';
import { ITEM_CREATED, ItemsModule } from '../../items/items.module.js';
import { becomes, eventually } from '../../support/eventually.js';
import { Petstore } from '../../support/petstore.js';
import { bearer, type RawResponse, send, valuesOf } from '../../support/wire.js';

class Owner {
  readonly name = 'Ann';

  @Exclude()
  readonly password = 'swordfish';
}

const put = (changes: Changes, name: string) =>
  changes.insert(Item, { name, amount: 1n, status: ItemStatus.Open }, ITEM_CREATED);

const interceptor = (work: (results: Observable<unknown>) => Observable<unknown>) => {
  @Injectable()
  class AuthorsInterceptor implements NestInterceptor {
    intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
      return work(next.handle());
    }
  }
  return AuthorsInterceptor;
};

@Catch()
class OwnAnswer implements ExceptionFilter {
  catch(_thrown: unknown, host: ArgumentsHost): void {
    host.switchToHttp().getResponse<Response>().status(200).json({ answered: 'by the filter' });
  }
}

/** Lets the test act while a handler runs. */
/** Its error is the time-out of the handler `slow`, which a test fires when the handler is where it wants it. */
let overdue = new Subject<never>();
let during: () => Promise<void>;

/** Results of every kind. */
/* eslint-disable @typescript-eslint/no-unused-vars -- @Idempotent() requires the parameter */
@AnyKey()
@Controller({ path: 'on-results', version: '1' })
class ResultsController {
  @Post('object')
  @Idempotent()
  object(@UnitOfWork() _: Changes): object {
    return { exact: 9007199254740993n, at: new Date(0), nothing: null, owner: new Owner() };
  }

  @Post('page')
  @HttpCode(200)
  @Idempotent()
  page(@UnitOfWork() _: Changes): Page<object> {
    return new Page([{ id: 1 }], 'next-cursor');
  }

  @Post('bigint')
  @Idempotent()
  bigint(@UnitOfWork() _: Changes): bigint {
    return 9007199254740993n;
  }

  @Post('date')
  @Idempotent()
  date(@UnitOfWork() _: Changes): Date {
    return new Date(0);
  }

  @Post('null')
  @Idempotent()
  null(@UnitOfWork() _: Changes): null {
    return null;
  }

  @Post('text')
  @Idempotent()
  text(@UnitOfWork() _: Changes): string {
    return 'wörds';
  }

  @Post('plain-text')
  @Idempotent()
  @Header('Content-Type', 'text/plain')
  plainText(@UnitOfWork() _: Changes): string {
    return '"quoted"';
  }

  @Post('json-text')
  @Idempotent()
  @Header('Content-Type', 'application/json')
  jsonText(@UnitOfWork() _: Changes): string {
    return '"already JSON"';
  }

  @Post('number')
  @Idempotent()
  number(@UnitOfWork() _: Changes): number {
    return 4.5;
  }

  @Post('nothing')
  @HttpCode(204)
  @Idempotent()
  nothing(@UnitOfWork() _: Changes): void {
    return undefined;
  }
}
/* eslint-enable @typescript-eslint/no-unused-vars */

@AnyKey()
@Controller({ path: 'on-authors', version: '1' })
class AuthorsController {
  @Post('secret')
  @Idempotent()
  async secret(@Query('name') name: string, @UnitOfWork() changes: Changes): Promise<Owner> {
    await put(changes, name);
    return new Owner();
  }

  @Post('envelope')
  @Idempotent()
  @UseInterceptors(interceptor((results) => results.pipe(map((data) => ({ data })))))
  async envelope(@Query('name') name: string, @UnitOfWork() changes: Changes): Promise<object> {
    return { id: String((await put(changes, name)).id) };
  }

  @Post('slow')
  @Idempotent()
  @UseInterceptors(
    interceptor((results) =>
      results.pipe(
        raceWith(defer(() => overdue)),
        catchError(() => {
          throw new RequestTimeoutException();
        }),
      ),
    ),
  )
  async slow(@Query('name') name: string, @UnitOfWork() changes: Changes): Promise<object> {
    await put(changes, name);
    await during();
    results.push(await Promise.allSettled([put(changes, name), changes.manager.query('SELECT 1')]));
    return {};
  }

  @Post('caught')
  @HttpCode(200)
  @Idempotent()
  @UseInterceptors(interceptor((results) => results.pipe(catchError(() => of({ instead: true })))))
  async caught(@Query('name') name: string, @UnitOfWork() changes: Changes): Promise<object> {
    await put(changes, name);
    throw new Error('caught by an interceptor');
  }

  @Post('throwing')
  @Idempotent()
  @UseInterceptors(
    interceptor((results) =>
      results.pipe(
        tap(() => {
          throw new Error('an interceptor fails');
        }),
      ),
    ),
  )
  async throwing(@Query('name') name: string, @UnitOfWork() changes: Changes): Promise<object> {
    await put(changes, name);
    return {};
  }

  @Post('filtered')
  @Idempotent()
  @UseFilters(OwnAnswer)
  async filtered(@Query('name') name: string, @UnitOfWork() changes: Changes): Promise<object> {
    await put(changes, name);
    throw new Error('answered by a filter');
  }

  @Post('status')
  @Idempotent()
  async status(
    @Query('name') name: string,
    @Res({ passthrough: true }) response: Response,
    @UnitOfWork() changes: Changes,
  ): Promise<object> {
    response.status(409);
    return { id: String((await put(changes, name)).id) };
  }

  @Post('waiting')
  @Idempotent()
  async waiting(@Query('name') name: string, @UnitOfWork() changes: Changes): Promise<object> {
    const { id } = await put(changes, name);
    await during();
    return { id: String(id) };
  }

  @Post('deferred')
  @Idempotent()
  @Header('X-Of-The-Handler', 'yes')
  async deferred(@Query('name') name: string, @UnitOfWork() changes: Changes): Promise<object> {
    await put(changes, name);
    await changes.manager.query('INSERT INTO on_crates (item) VALUES ($1)', [
      brokenCommits-- > 0 ? name : null,
    ]);
    return {};
  }

  /** Writes twice. Between its statements, each violates a deferred constraint, too. */
  @Post('labelled')
  @Idempotent()
  async labelled(@Query('name') name: string, @UnitOfWork() changes: Changes): Promise<object> {
    for (const label of [name, `${name} 2`])
      await changes
        .transaction(async (inside) => {
          await put(inside, name);
          const insert = () => inside.manager.query('INSERT INTO on_labels (label) VALUES ($1)', [label]);
          await insert();
          await insert();
          await inside.manager.query(
            'DELETE FROM on_labels WHERE ctid = (SELECT max(ctid) FROM on_labels WHERE label = $1)',
            [label],
          );
        })
        .catch((error: unknown) => {
          throw new ConflictException(violatedConstraint(error));
        });
    return {};
  }

  @Post('file')
  @Idempotent()
  async file(@Query('name') name: string, @UnitOfWork() changes: Changes): Promise<StreamableFile> {
    await put(changes, name);
    return new StreamableFile(Buffer.from('bytes'));
  }

  @Get('list')
  list(): object[] {
    return [];
  }
}

/** What the statements of a handler got that a time-out has left running. */
const results: PromiseSettledResult<unknown>[][] = [];
let brokenCommits = 0;

@Module({
  controllers: [ResultsController, AuthorsController],
  providers: [{ provide: APP_INTERCEPTOR, useClass: ClassSerializerInterceptor }],
})
class AuthorsModule {}

let petstore: Petstore;
let key: string;
let count = 0;

beforeAll(async () => {
  petstore = await Petstore.start({ modules: [ItemsModule, AuthorsModule] });
  key = await petstore.key();
  await petstore.query('CREATE TABLE on_crates (item text)');
  await petstore.query(
    'CREATE TABLE on_labels (label text CONSTRAINT on_labels_key UNIQUE DEFERRABLE INITIALLY DEFERRED)',
  );
  await petstore.query(
    `CREATE FUNCTION refuse_crate() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN IF NEW.item IS NOT NULL THEN RAISE EXCEPTION 'too late' USING ERRCODE = '23514'; END IF; RETURN NULL; END $$`,
  );
  await petstore.query(
    `CREATE CONSTRAINT TRIGGER crates_at_commit AFTER INSERT ON on_crates DEFERRABLE INITIALLY DEFERRED
     FOR EACH ROW EXECUTE FUNCTION refuse_crate()`,
  );
});
afterAll(() => petstore.stop());
beforeEach(() => {
  during = () => Promise.resolve();
});
afterEach(async () => {
  await becomes(openTransactions, 0);
});

async function openTransactions(): Promise<number> {
  const sql = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`;
  return (await petstore.query(sql)).length;
}

const fresh = () => `author-${++count}`;

const post = (path: string, idempotencyKey?: string) =>
  send(petstore, {
    method: 'POST',
    path: `/v1/${path}`,
    headers: [
      bearer(key),
      ...(idempotencyKey === undefined ? [] : [['Idempotency-Key', idempotencyKey] as [string, string]]),
    ],
    body: '',
  });

const onAuthors = (handler: string, name: string) => post(`on-authors/${handler}?name=${name}`, name);

const itemsNamed = async (name: string) =>
  (await petstore.query('SELECT 1 FROM items WHERE name = $1', [name])).length;
const eventsOf = async (name: string) =>
  (
    await petstore.query(
      `SELECT 1 FROM (SELECT data FROM event_outbox UNION ALL SELECT data FROM events) AS e WHERE data ->> 'name' = $1`,
      [name],
    )
  ).length;
const storedFor = (name: string) =>
  petstore.query<{ status: number; body: string }>(
    'SELECT status, body FROM idempotent_answers WHERE key = $1',
    [name],
  );

const essence = ({ status, body, ...rest }: RawResponse) => ({
  status,
  body,
  ...Object.fromEntries(
    ['Content-Type', 'Content-Length', 'Link', 'ETag', 'Location', 'Cache-Control'].map((name) => [
      name,
      valuesOf({ status, body, ...rest }, name),
    ]),
  ),
});

describe('the response of an @Idempotent() handler', () => {
  it.each([
    'object',
    'page',
    'bigint',
    'date',
    'null',
    'text',
    'plain-text',
    'json-text',
    'number',
    'nothing',
  ])('is the same without an Idempotency-Key, with one, and for a repeat: %s', async (kind) => {
    const path = `on-results/${kind}`;
    const name = fresh();
    const without = await post(path);
    const first = await post(path, name);
    const repeat = await post(path, name);
    expect(without.status).toBeLessThan(300);
    expect(essence(first)).toEqual(essence(without));
    expect(essence(repeat)).toEqual(essence(without));
    expect(valuesOf(first, 'Idempotent-Replayed')).toEqual([]);
    expect(valuesOf(repeat, 'Idempotent-Replayed')).toEqual(['true']);
  });
});

/** Expects that the work and the response were stored, once. */
async function expectStored(handler: string, name: string, first: RawResponse): Promise<void> {
  const repeat = await onAuthors(handler, name);
  expect(essence(repeat)).toEqual(essence(first));
  expect(valuesOf(repeat, 'Idempotent-Replayed')).toEqual(['true']);
  expect([await itemsNamed(name), await eventsOf(name)]).toEqual([1, 1]);
  expect(await storedFor(name)).toEqual([{ status: first.status, body: first.body }]);
}

/** Expects that nothing is left of the request, so that a repeat runs again. */
async function expectNothingStored(name: string): Promise<void> {
  expect([await itemsNamed(name), await eventsOf(name)]).toEqual([0, 0]);
  expect(await storedFor(name)).toEqual([]);
}

describe("what an author's own parts make of an @Idempotent() handler", () => {
  it('stores what a ClassSerializerInterceptor of the application leaves', async () => {
    const name = fresh();
    const first = await onAuthors('secret', name);
    expect(JSON.parse(first.body)).toEqual({ name: 'Ann' });
    await expectStored('secret', name, first);
  });

  it('stores an envelope', async () => {
    const name = fresh();
    const first = await onAuthors('envelope', name);
    expect(JSON.parse(first.body)).toEqual({ data: { id: expect.any(String) as string } });
    await expectStored('envelope', name, first);
  });

  it('responds with 408 when a time-out fires, and refuses the later statements of the handler', async () => {
    const name = fresh();
    let goOn: () => void = () => undefined;
    during = () => {
      overdue.error(new Error('overdue'));
      return new Promise((resolve) => (goOn = resolve));
    };
    const first = await onAuthors('slow', name);
    overdue = new Subject();
    expect(first.status).toBe(408);
    await expectNothingStored(name);
    results.length = 0;
    goOn();
    await eventually(() => results.length > 0);
    expect(results.flat().map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expectNothingStored(name);
    during = () => Promise.resolve();
    expect((await onAuthors('slow', name)).status).toBe(201);
  });

  it('stores the 200 that an interceptor makes of an error, with what was written', async () => {
    const name = fresh();
    const first = await onAuthors('caught', name);
    expect(first).toMatchObject({ status: 200, body: '{"instead":true}' });
    await expectStored('caught', name, first);
  });

  it.each([
    ['an interceptor throws after the handler', 'throwing', 500],
    ['an exception filter answers by itself', 'filtered', 200],
    ['the handler sets a status from 400 on', 'status', 409],
    ['the handler returns a file', 'file', 500],
  ])('stores and commits nothing if %s', async (_, handler, status) => {
    const name = fresh();
    for (let i = 0; i < 2; i++) {
      const response = await onAuthors(handler, name);
      expect(response.status).toBe(status);
      expect(valuesOf(response, 'Idempotent-Replayed')).toEqual([]);
      await becomes(openTransactions, 0);
      await expectNothingStored(name);
    }
  });

  it('stores the response of a client that has gone, and its retry gets it', async () => {
    const name = fresh();
    let goOn: () => void = () => undefined;
    let arrived = false;
    during = () =>
      new Promise((resolve) => {
        arrived = true;
        goOn = resolve;
      });
    const { port } = petstore.app.getHttpServer().address() as { port: number };
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(
      `POST /v1/on-authors/waiting?name=${name} HTTP/1.1\r\nHost: petstore.test\r\nAuthorization: Bearer ${key}\r\n` +
        `Idempotency-Key: ${name}\r\nContent-Length: 0\r\n\r\n`,
    );
    await eventually(() => arrived);
    socket.destroy();
    goOn();
    await eventually(async () => (await storedFor(name)).length === 1);
    const repeat = await onAuthors('waiting', name);
    expect(repeat.status).toBe(201);
    expect(valuesOf(repeat, 'Idempotent-Replayed')).toEqual(['true']);
    expect(await itemsNamed(name)).toBe(1);
  });

  it('gives the handler the error of a deferred constraint, with a key as without one', async () => {
    const [name, other] = [fresh(), fresh()];
    await petstore.query('INSERT INTO on_labels (label) VALUES ($1)', [name]);
    const responses = [await post(`on-authors/labelled?name=${name}`), await onAuthors('labelled', name)];
    expect(responses.map(({ status }) => status)).toEqual([409, 409]);
    for (const { body } of responses) expect(JSON.parse(body)).toMatchObject({ message: 'on_labels_key' });
    await expectNothingStored(name);
    const made = await onAuthors('labelled', other); // is deferred again for the second write, and ends well
    expect(made.status).toBe(201);
    expect(await itemsNamed(other)).toBe(2);
  });

  it('responds with the error of a failed COMMIT, and a repeat runs again', async () => {
    const name = fresh();
    brokenCommits = 1;
    const failed = await onAuthors('deferred', name);
    expect(failed.status).toBe(500);
    expect(valuesOf(failed, 'X-Of-The-Handler')).toEqual([]);
    expect(valuesOf(failed, 'X-RateLimit-Limit')).toHaveLength(1);
    await expectNothingStored(name);
    const again = await onAuthors('deferred', name);
    expect(again.status).toBe(201);
    expect(valuesOf(again, 'X-Of-The-Handler')).toEqual(['yes']);
    expect(await itemsNamed(name)).toBe(1);
  });
});

describe('at the start of the service', () => {
  @Injectable()
  class LateGuard {
    canActivate = () => true;
  }

  /* eslint-disable @typescript-eslint/no-unused-vars -- @Idempotent() requires the parameter */
  @AnyKey()
  @Controller({ path: 'redirecting', version: '1' })
  class Redirecting {
    @Post()
    @Idempotent()
    @Redirect('/elsewhere')
    create(@UnitOfWork() _: Changes): void {
      return undefined;
    }
  }

  @AnyKey()
  @Controller({ path: 'sending', version: '1' })
  class Sending {
    @Post()
    @Idempotent()
    create(@Res() response: Response, @UnitOfWork() _: Changes): void {
      response.json({});
    }
  }

  @AnyKey()
  @Controller({ path: 'guarded', version: '1' })
  class Guarded {
    @Post()
    @UseGuards(LateGuard)
    @Idempotent()
    create(@UnitOfWork() _: Changes): object {
      return {};
    }
  }
  /* eslint-enable @typescript-eslint/no-unused-vars */

  it.each([
    [Redirecting, '@Idempotent() on Redirecting.create: with @Redirect() the response cannot be stored.'],
    [Sending, '@Idempotent() on Sending.create: with @Res() without { passthrough: true } the response'],
    [
      Guarded,
      '@Idempotent() on Guarded.create: a guard written above it would run after a repeat is answered.',
    ],
  ])('%p is refused in one sentence', async (controller, sentence) => {
    @Module({ controllers: [controller] })
    class Refused {}
    await expect(Petstore.start({ modules: [Refused] })).rejects.toThrow(sentence);
  });
});
