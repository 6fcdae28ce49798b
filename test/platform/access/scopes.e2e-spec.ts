import { All, Controller, Delete, Get, Head, Module, Options, Patch, Post, Put } from '@nestjs/common';
import { ApiKeysService } from '../../../src/platform/access/keys/api-keys.service.js';
import { AnyKey, Public, RequireScope } from '../../../src/platform/index.js';
import { type Scope, SCOPES } from '../../../src/platform/access/keys/scopes.js';
import { ItemsModule } from '../../items/items.module.js';
import { Petstore } from '../../support/petstore.js';
import { expectErrorResponse } from '../../support/promises.js';
import { bearer, type Message, send, valuesOf } from '../../support/wire.js';
import { PREFIX } from '../../support/prefix.js';

/** A module added later that declares no scope. */
@Controller({ path: 'open', version: '1' })
class OpenController {
  @Get()
  read(): object {
    return {};
  }
}

@Module({ controllers: [OpenController] })
class OpenModule {}

let petstore: Petstore;
let item: number;

beforeAll(async () => {
  petstore = await Petstore.start({ modules: [ItemsModule, OpenModule] });
  const [row] = await petstore.query<{ id: number }>(
    `INSERT INTO items (name, amount, status) VALUES ('Rex', 1, 'open') RETURNING id`,
  );
  item = row?.id ?? 0;
});
afterAll(() => petstore.stop());

const keyWith = async (...scopes: Scope[]): Promise<string> =>
  (await petstore.app.get(ApiKeysService).create({ name: 'scoped', plan: 'free', scopes })).secret;

const NEW_ITEM = {
  method: 'POST',
  headers: [['Content-Type', 'application/json']],
  body: '{"name":"Rex","amount":1}',
} as const;

const asks = (key: string, { headers = [], ...message }: Message) =>
  send(petstore, { ...message, headers: [bearer(key), ...headers] });

const OPERATIONS: [name: string, message: () => Message, scope: Scope, status: number][] = [
  ['GET /v1/items', () => ({ path: '/v1/items' }), 'items:read', 200],
  ['HEAD /v1/items', () => ({ method: 'HEAD', path: '/v1/items' }), 'items:read', 200],
  ['GET /v1/items/{itemId}', () => ({ path: `/v1/items/${item}` }), 'items:read', 200],
  ['POST /v1/items', () => NEW_ITEM, 'items:write', 201],
  ['GET /v1/events', () => ({ path: '/v1/events' }), 'events:read', 200],
  ['GET /v1/webhooks', () => ({ path: '/v1/webhooks' }), 'webhooks:read', 200],
];

describe.each(OPERATIONS)('%s', (_, message, scope, status) => {
  it(`accepts a key with nothing but ${scope}`, async () => {
    expect((await asks(await keyWith(scope), message())).status).toBe(status);
  });

  it(`accepts a key without a list of scopes: it has all`, async () => {
    expect((await asks(await petstore.key('free'), message())).status).toBe(status);
  });

  it(`refuses a key with everything but ${scope} with 403 insufficient_scope`, async () => {
    const key = await keyWith(...SCOPES.filter((other) => other !== scope));
    const response = await asks(key, message());
    if (message().method === 'HEAD') expect(response.status).toBe(403);
    else expectErrorResponse(response, 403, 'insufficient_scope');
    expect(valuesOf(response, 'WWW-Authenticate')).toEqual([
      `Bearer realm="${PREFIX}", error="insufficient_scope", scope="${scope}"`,
    ]);
  });
});

describe('a key without the scope', () => {
  it('is charged for a refused request', async () => {
    const key = await keyWith('key:rotate');
    const remaining = async () => valuesOf(await asks(key, {}), 'X-RateLimit-Remaining');
    expect([await remaining(), await remaining()]).toEqual([['59'], ['58']]);
  });

  it('is refused before its body is read', async () => {
    const key = await keyWith('items:read');
    expectErrorResponse(await asks(key, { ...NEW_ITEM, body: '{' }), 403, 'insufficient_scope');
  });

  it('may use whatever needs no scope: its limits, a route without a scope, OPTIONS', async () => {
    const key = await keyWith('key:rotate');
    expect((await asks(key, { path: '/v1/rate-limit' })).status).toBe(200);
    expect((await asks(key, { path: '/v1/open' })).status).toBe(200);
    expect((await asks(key, { method: 'OPTIONS' })).status).toBe(204);
    expectErrorResponse(await asks(key, { path: '/v1/nope' }), 404, 'route_not_found');
  });
});

describe('the start', () => {
  it.each(['Bad Scope', 'pets', 'pets:', 'pets:read,pets:write', ''])(
    'fails if a module declares the scope %j',
    async (name) => {
      @Module({})
      class BadModule {
        static readonly scopes = [name as Scope];
      }
      const starting = Petstore.start({ modules: [BadModule] });
      await expect(starting).rejects.toThrow(`${JSON.stringify(name)} is not the name of a scope`);
    },
  );

  it('fails if an operation requires a scope that no module declares', async () => {
    @Controller({ path: 'forgotten', version: '1' })
    class ForgottenController {
      @Get()
      @RequireScope('forgotten:read')
      read(): object {
        return {};
      }
    }

    @Module({ controllers: [ForgottenController] })
    class ForgottenModule {}

    await expect(Petstore.start({ modules: [ForgottenModule] })).rejects.toThrow(
      'ForgottenController.read requires the scope "forgotten:read", which no module declares',
    );
  });
});

describe('a write that every key may call', () => {
  @Controller({ path: 'writes', version: '1' })
  class WritesController {
    @Get()
    @Head('head')
    read(): object {
      return {};
    }

    @Options()
    options(): object {
      return {};
    }

    @Post()
    post(): object {
      return {};
    }

    @Put()
    put(): object {
      return {};
    }

    @Patch()
    patch(): object {
      return {};
    }

    @Delete()
    remove(): object {
      return {};
    }

    @All('all')
    all(): object {
      return {};
    }

    @Post('scoped')
    @RequireScope('items:write')
    scoped(): object {
      return {};
    }

    @Post('meant')
    @AnyKey()
    meant(): object {
      return {};
    }

    @Post('public')
    @Public()
    public(): object {
      return {};
    }
  }

  @AnyKey()
  @Controller({ path: 'meant', version: '1' })
  class MeantController {
    @Post()
    post(): object {
      return {};
    }
  }

  @Controller('outside')
  class OutsideController extends MeantController {
    @Post('inherits')
    inherits(): object {
      return {};
    }
  }

  @Module({ imports: [ItemsModule], controllers: [WritesController, MeantController, OutsideController] })
  class WritesModule {
    static readonly scopes = ItemsModule.scopes;
  }

  it('refuses the start, in one sentence that names all of them', async () => {
    const open = ['post', 'put', 'patch', 'remove', 'all'].map((name) => `WritesController.${name}`);
    await expect(Petstore.start({ modules: [WritesModule] })).rejects.toThrow(
      `Every API key may call ${open.join(', ')}. Add @RequireScope(), or @AnyKey() or @Public() if that is meant.`,
    );
  });

  it('is called by every key if its author says so', async () => {
    @Module({ controllers: [MeantController] })
    class MeantModule {}
    const other = await Petstore.start({ modules: [MeantModule] });
    try {
      const key = await other.key('free', undefined, ['items:read']);
      expect((await send(other, { method: 'POST', path: '/v1/meant', headers: [bearer(key)] })).status).toBe(
        201,
      );
    } finally {
      await other.stop();
    }
  });
});

/** Compares the document with the service: a lost decorator would make the operation accessible to every key. */
describe('every operation that the document gives a scope', () => {
  it('refuses a key without it', async () => {
    const { body } = await petstore.client().get('/openapi.json');
    const { paths } = body as { paths: Record<string, Record<string, { security?: { apiKey: Scope[] }[] }>> };
    let held = 0;
    for (const [path, item] of Object.entries(paths)) {
      for (const [method, { security = [] }] of Object.entries(item)) {
        const scope = security[0]?.apiKey[0];
        if (scope === undefined) continue;
        const key = await keyWith(...SCOPES.filter((other) => other !== scope));
        const message = { path: `/v1${path.replace(/\{\w+\}/g, '1')}`, method: method.toUpperCase() };
        expect({ path, method, status: (await asks(key, message)).status }).toMatchObject({ status: 403 });
        held += 1;
      }
    }
    expect(held).toBeGreaterThanOrEqual(4);
  });
});
