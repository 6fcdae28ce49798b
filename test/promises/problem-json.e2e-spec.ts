import {
  type ArgumentsHost,
  Catch,
  ConflictException,
  Controller,
  Get,
  Header,
  Module,
  UseFilters,
} from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { Public } from '../../src/http/route/public.decorator.js';
import { ItemsModule } from '../items/items.module.js';
import { Petstore } from '../support/petstore.js';
import { type RawResponse, bearer, type Message, send, valuesOf } from '../support/wire.js';

const PROBLEM = 'application/problem+json';

@Catch(ConflictException)
class OrdinaryFilter extends BaseExceptionFilter {
  override catch(exception: ConflictException, host: ArgumentsHost): void {
    super.catch(exception, host);
  }
}

@Controller({ path: 'failing', version: '1' })
class FailingController {
  @Get('text')
  @Header('Content-Type', 'text/csv')
  text(): never {
    throw new ConflictException('Taken');
  }

  @Get('filtered')
  @UseFilters(OrdinaryFilter)
  filtered(): never {
    throw new ConflictException('Taken');
  }

  @Public()
  @Get('fault')
  fault(): never {
    throw new TypeError('secret');
  }
}

@Module({ controllers: [FailingController] })
class FailingModule {}

let petstore: Petstore;
let key: string;
beforeAll(async () => {
  petstore = await Petstore.start({ modules: [ItemsModule, FailingModule] });
  key = await petstore.key();
});
afterAll(() => petstore.stop());

const ask = (accept: string | undefined, { headers = [], ...message }: Message = {}): Promise<RawResponse> =>
  send(petstore, {
    ...message,
    headers: [bearer(key), ...(accept === undefined ? [] : [['Accept', accept] as const]), ...headers],
  });

const JSON_BODY = [['Content-Type', 'application/json']] as const;
const ERRORS: Record<string, Message & { readonly status: number; readonly code: string }> = {
  'an unknown item': { path: '/v1/items/4711', status: 404, code: 'item_not_found' },
  'an invalid parameter': { path: '/v1/items?limit=0', status: 400, code: 'validation_failed' },
  'malformed JSON': {
    method: 'POST',
    path: '/v1/items',
    headers: JSON_BODY,
    body: '{',
    status: 400,
    code: 'invalid_json',
  },
  'a wrong key': { headers: [bearer('petstore_x')], status: 401, code: 'invalid_api_key' },
  'an unknown path': { path: '/v1/cats', status: 404, code: 'route_not_found' },
  'an unknown path outside of /v1': { path: '/cats', status: 404, code: 'route_not_found' },
  'a wrong method': { method: 'DELETE', status: 405, code: 'method_not_allowed' },
  'a wrong method outside of /v1': {
    method: 'DELETE',
    path: '/openapi.json',
    status: 405,
    code: 'method_not_allowed',
  },
  'a file that does not exist': { path: '/docs/x', status: 404, code: 'route_not_found' },
  'an exception of a module, on a route for text': {
    path: '/v1/failing/text',
    headers: [['Accept', 'text/csv']],
    status: 409,
    code: 'conflict',
  },
  "an exception in Nest's own filter": { path: '/v1/failing/filtered', status: 409, code: 'conflict' },
  'a fault': { path: '/v1/failing/fault', status: 500, code: 'internal_error' },
};

describe.each(Object.entries(ERRORS))('%s', (_, { status, code, headers: own = [], ...message }) => {
  const [usualType] = own.flatMap(([name, value]) => (name === 'Accept' ? [value] : []));
  const others = own.filter(([name]) => name !== 'Accept');
  const refused = (...types: readonly (string | undefined)[]) => {
    const accept = types.filter((type) => type !== undefined).join();
    const keyed = others.some(([name]) => name === 'Authorization') ? others : [bearer(key), ...others];
    return send(petstore, {
      ...message,
      headers: [...keyed, ...(accept ? [['Accept', accept] as const] : [])],
    });
  };

  it(`is a problem with the properties of the Error if the client accepts problems`, async () => {
    const usual = await refused(usualType);
    expect(valuesOf(usual, 'Content-Type')).toEqual(['application/json']);
    const error = JSON.parse(usual.body) as { readonly message: string };
    expect(error).toMatchObject({ status, code });

    const response = await refused(usualType, PROBLEM);
    expect(response.status).toBe(status);
    expect(valuesOf(response, 'Content-Type')).toEqual([PROBLEM]);
    expect(valuesOf(response, 'Vary').join()).toContain('Accept');
    expect(JSON.parse(response.body)).toEqual({
      ...error,
      type: `http://petstore.test/docs/errors#${code}`,
      title: expect.stringMatching(/^[A-Z][a-z ]+$/) as unknown,
      detail: error.message,
      instance: (message.path ?? '/v1/events').split('?', 1)[0],
    });
  });
});

describe('Accept', () => {
  const MISSING = { path: '/v1/items/4711' };

  it.each([
    'application/problem+json',
    'Application/Problem+JSON',
    'application/json, application/problem+json',
    'application/problem+json, application/json',
    'application/problem+json, */*',
    'application/problem+json;q=0.9, application/json;q=0.8',
  ])('%s selects problems', async (accept) => {
    expect(valuesOf(await ask(accept, MISSING), 'Content-Type')).toEqual([PROBLEM]);
  });

  it.each([
    undefined,
    '*/*',
    'application/json',
    'application/*',
    'application/*+json, application/json',
    'application/problem+json;q=0, application/json',
    'application/problem+json;q=0.5, application/json',
    'application/problem+json;q=0.5, */*',
  ])('%s selects plain Errors', async (accept) => {
    const response = await ask(accept, MISSING);
    expect(valuesOf(response, 'Content-Type')).toEqual(['application/json']);
    expect(response.body).toBe(
      '{"code":"item_not_found","message":"There is no item with the id 4711.","status":404}',
    );
  });

  it('with application/problem+json alone does not affect a success: it is 200 as JSON', async () => {
    const response = await ask(PROBLEM);
    expect(response.status).toBe(200);
    expect(valuesOf(response, 'Content-Type')).toEqual(['application/json']);
  });

  it('that excludes the success is 406, as a problem', async () => {
    const response = await ask(`text/html, ${PROBLEM}`);
    expect(response.status).toBe(406);
    expect(valuesOf(response, 'Content-Type')).toEqual([PROBLEM]);
    expect(JSON.parse(response.body)).toMatchObject({ code: 'not_acceptable', title: 'Not acceptable' });
  });
});

it('omits the instance if the path is not valid in a URI', async () => {
  const response = await ask(PROBLEM, { path: '/v1/%' });
  expect(response.status).toBe(400);
  expect(JSON.parse(response.body)).not.toHaveProperty('instance');
});
