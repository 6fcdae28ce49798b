import {
  type ArgumentsHost,
  Catch,
  Controller,
  type ExceptionFilter,
  Get,
  HttpCode,
  HttpException,
  Module,
  type OnModuleInit,
  Post,
  UseFilters,
} from '@nestjs/common';
import { AnyKey, Changes, ErrorMappers, Idempotent, UnitOfWork } from '../../../src/platform/index.js';
import { RouteNotFound } from '../../../src/platform/kernel/errors/route.errors.js';
import { Petstore } from '../../support/petstore.js';

/** Of a library, which does not always give it a code. */
class LibraryError extends Error {
  readonly code!: string;
}

@Catch(RangeError)
class ThrowingFilter implements ExceptionFilter {
  catch(): void {
    throw new TypeError('The filter is broken.');
  }
}

@Catch(RangeError)
class RejectingFilter implements ExceptionFilter {
  async catch(): Promise<void> {
    await Promise.reject(new TypeError('The filter is broken.'));
  }
}

@Catch(RangeError)
class LateFilter implements ExceptionFilter {
  async catch(_: unknown, host: ArgumentsHost): Promise<void> {
    host.switchToHttp().getResponse<{ end(text: string): void }>().end('done');
    await Promise.reject(new TypeError('The filter is broken.'));
  }
}

const original = (): never => {
  throw new RangeError('The original error.');
};

@AnyKey()
@Controller({ path: 'failed-handling', version: '1' })
class FailedHandlingController {
  @Get('mapper')
  mapper(): never {
    throw new LibraryError('The original error.');
  }

  @Get('filter')
  @UseFilters(ThrowingFilter)
  filter(): never {
    return original();
  }

  @Get('async-filter')
  @UseFilters(new RejectingFilter())
  asyncFilter(): never {
    return original();
  }

  @Get('late-filter')
  @UseFilters(LateFilter)
  lateFilter(): never {
    return original();
  }

  @Get('status')
  status(): never {
    throw new HttpException('The original error.', 99);
  }

  @Post('status')
  @Idempotent()
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- @Idempotent() requires it
  idempotentStatus(@UnitOfWork() _: Changes): never {
    throw new HttpException('The original error.', 99);
  }

  @Get('no-text')
  noText(): never {
    throw Object.create(null);
  }

  @Get('unreadable')
  unreadable(): never {
    throw Object.defineProperty(new Error(), 'message', {
      get() {
        throw new TypeError('The error is broken.');
      },
    });
  }

  @Get('to-json')
  toJson(): object {
    return { toJSON: original };
  }

  @Get('nothing')
  nothing(): object {
    return { toJSON: () => undefined };
  }

  @Post('nothing')
  @HttpCode(200)
  @Idempotent()
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- @Idempotent() requires it
  storedNothing(@UnitOfWork() _: Changes): object {
    return { toJSON: () => undefined };
  }
}

@Module({ controllers: [FailedHandlingController] })
class FailedHandlingModule implements OnModuleInit {
  constructor(private readonly mappers: ErrorMappers) {}

  onModuleInit(): void {
    this.mappers.add((error) => {
      if (error instanceof LibraryError && error.code.startsWith('X')) return new RouteNotFound('/x');
      return undefined;
    });
  }
}

const INTERNAL_ERROR = {
  code: 'internal_error',
  message: expect.stringMatching(/\S/) as string,
  status: 500,
};

let petstore: Petstore;
let client: ReturnType<Petstore['client']>;

beforeAll(async () => {
  petstore = await Petstore.start({ modules: [FailedHandlingModule] });
  client = petstore.client(await petstore.key());
});
afterAll(() => petstore.stop());

const logged = (requestId: string | undefined): unknown[] =>
  petstore.log
    .filter((line) => line.requestId === requestId && line.stack !== undefined)
    .map(({ msg }) => msg);

describe('an error in the handling of another one', () => {
  it.each([
    ['mapper', ['The original error.', /startsWith/]],
    ['filter', ['The original error.', 'The filter is broken.']],
    ['async-filter', ['The original error.', 'The filter is broken.']],
  ])('is internal_error, and both are logged: %s', async (path, messages) => {
    const response = await client.get(`/v1/failed-handling/${path}`).expect(500);
    expect(response).toMatchObject({ body: INTERNAL_ERROR });
    expect(logged(response.headers['x-request-id'])).toEqual(
      messages.map((message) => (typeof message === 'string' ? message : expect.stringMatching(message))),
    );
  });

  it.each(['status', 'no-text', 'unreadable', 'to-json'])(
    'is not HTML, whatever was thrown: %s',
    async (path) => {
      expect(await client.get(`/v1/failed-handling/${path}`).expect(500)).toMatchObject({
        body: INTERNAL_ERROR,
      });
    },
  );

  it('does not leave a request with an Idempotency-Key without a response', async () => {
    const request = client.post('/v1/failed-handling/status').set('Idempotency-Key', 'status');
    expect(await request.expect(500)).toMatchObject({ body: INTERNAL_ERROR });
  });

  it('of a filter that has responded is only logged', async () => {
    const response = await client.get('/v1/failed-handling/late-filter').expect(200);
    expect(response.text).toBe('done');
    expect(logged(response.headers['x-request-id'])).toEqual([
      'The original error.',
      'The filter is broken.',
    ]);
  });
});

describe('an object whose toJSON() gives nothing', () => {
  it('is an empty body, as in plain Nest', async () => {
    expect((await client.get('/v1/failed-handling/nothing').expect(200)).text).toBe('');
    for (const replayed of [undefined, 'true']) {
      const request = client.post('/v1/failed-handling/nothing').set('Idempotency-Key', 'nothing');
      const response = await request.expect(200);
      expect([response.text, response.headers['idempotent-replayed']]).toEqual(['', replayed]);
    }
  });
});
