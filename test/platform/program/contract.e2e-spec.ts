import {
  Body,
  Controller,
  Get,
  Module,
  Param,
  ParseIntPipe,
  ParseUUIDPipe,
  Put,
  Query,
} from '@nestjs/common';
import { ApiExtension, ApiOkResponse, ApiParam, ApiProperty } from '@nestjs/swagger';
import {
  IsInt,
  Max,
  Min,
  Validate,
  type ValidationArguments,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { minutes } from '../../../src/platform/kernel/clock/duration.js';
import fc, { type Arbitrary } from 'fast-check';
import type { Document } from '../../support/contract/document.js';
import { ResponseValidator } from '../../support/contract/response-validator.js';
import { type Request, requests } from '../../support/contract/requests.js';
import { bounded, REQUESTS, SEED } from '../../support/contract/run.js';
import { send } from '../../support/contract/send.js';
import { ItemsModule } from '../../items/items.module.js';
import { statusFaults } from '../../support/contract/status-fault.js';
import { inlined } from '../../support/inlined.js';
import { Petstore } from '../../support/petstore.js';
import { AnyKey } from '../../../src/platform/index.js';

@ValidatorConstraint({ name: 'notBeforeStart', async: true })
class NotBeforeStart implements ValidatorConstraintInterface {
  async validate(end: unknown, { object }: ValidationArguments): Promise<boolean> {
    return Promise.resolve(Number(end) >= (object as NewPeriod).start);
  }

  defaultMessage = () => 'end must not be before start';
}

/** No schema can express that two properties depend on one another. */
@ApiExtension('x-further-rules', '`end` must not be before `start`.')
class NewPeriod {
  @ApiProperty({ type: 'integer', minimum: 0, maximum: 100 })
  @IsInt()
  @Min(0)
  @Max(100)
  readonly start!: number;

  @ApiProperty({ type: 'integer', minimum: 0, maximum: 100 })
  @IsInt()
  @Min(0)
  @Max(100)
  @Validate(NotBeforeStart)
  readonly end!: number;
}

@AnyKey()
@Controller({ path: 'on-periods', version: '1' })
class PeriodsController {
  @Put()
  @ApiOkResponse({ description: 'The same period.', type: NewPeriod })
  keep(@Body() period: NewPeriod): NewPeriod {
    return period;
  }
}

/** Parameters as most handlers of Nest take them, without a DTO. */
@AnyKey()
@Controller({ path: 'plain', version: '1' })
class PlainController {
  @Get()
  @ApiOkResponse({ description: 'A period.', type: NewPeriod })
  find(@Query('start') start: number, @Query('name') name: string, @Query('on') on: boolean): NewPeriod {
    return { start: on && start > 0 ? 1 : 0, end: name === '' ? 1 : 2 };
  }

  @Get('numbers/:number')
  @ApiOkResponse({ description: 'A period.', type: NewPeriod })
  number(@Param('number', ParseIntPipe) number: number): NewPeriod {
    return { start: 0, end: number > 0 ? 1 : 0 };
  }

  @Get(':plainId')
  @ApiParam({ name: 'plainId', format: 'uuid' })
  @ApiOkResponse({ description: 'A period.', type: NewPeriod })
  get(@Param('plainId', ParseUUIDPipe) id: string): NewPeriod {
    return { start: 0, end: id.length };
  }
}

@Module({ controllers: [PeriodsController, PlainController] })
class PeriodsModule {}

const TIME = minutes(4) + 100 * REQUESTS; // many times the expected time

let petstore: Petstore;
let key: string;

beforeAll(async () => {
  petstore = await Petstore.start({ modules: [ItemsModule, PeriodsModule], env: { WEBHOOK_WORKER: 'off' } }); // random webhooks must not send anything
  key = await petstore.key('enterprise');
  await petstore.query(
    `INSERT INTO pets (name, category_id, status) SELECT 'Rex', n, 'available' FROM generate_series(1, 150) n`,
  );
  await petstore.query(
    `INSERT INTO orders (pet_id, quantity, status) SELECT n, 1, 'placed' FROM generate_series(1, 30) n`,
  );
});
afterAll(() => petstore.stop());

describe(`GET /openapi.json, random requests from CONTRACT_SEED=${SEED}`, () => {
  let document: Document;
  let validator: ResponseValidator;
  let random: ReturnType<typeof requests>;

  beforeAll(async () => {
    document = (await petstore.client().get('/openapi.json').expect(200)).body as Document;
    validator = new ResponseValidator(document);
    random = requests(inlined(document));
  });

  async function hold(request: Request): Promise<void> {
    let response = await send(petstore, key, request);
    if (response.status === 429 && request.key !== false) {
      petstore.clock.advance(minutes(60)); // the operation has its own limit
      response = await send(petstore, key, request);
    }
    const operations = document.paths[request.path] ?? {};
    const operation = operations[request.method] ?? Object.values(operations)[0];
    expect(statusFaults(request, response)).toEqual([]);
    expect(operation && validator.faults(operation, response)).toEqual([]);
    if (response.status === 405) expect(response.headers.allow).toContain('OPTIONS');
  }

  /** Sends half of the requests as valid ones and half as broken ones, with at least one of each kind. */
  async function holdAll(kinds: readonly Arbitrary<Request>[]): Promise<void> {
    const numRuns = Math.ceil(REQUESTS / 2 / kinds.length);
    for (const kind of kinds) await fc.assert(fc.asyncProperty(kind, bounded(hold)), { numRuns, seed: SEED });
  }

  it('describes the response to every valid request', () => holdAll(random.valid), TIME);

  it('describes the response to every request with one error', () => holdAll(random.broken), TIME);
});

describe('what the test says of another status', () => {
  const request = {
    path: '/toys',
    method: 'post',
    parameters: {},
    properties: {},
    hasBody: true,
    expected: [400, 409],
  };
  const body = { code: 'validation_failed', details: [{ field: 'name' }] };

  it('names the rule that the service does not have', () => {
    expect(statusFaults({ ...request, what: 'no name' }, { status: 201, headers: {}, body: {} })).toEqual([
      'POST /toys: a request that the document does not allow (no name) should get 400 or 409, and got 201: {}',
    ]);
  });

  it('names the rule that the document does not have, as the service says it', () => {
    const said = statusFaults(
      { ...request, what: 'valid', expected: [201] },
      { status: 400, headers: {}, body },
    );
    expect(said).toEqual([
      'POST /toys: a request that the document allows should get 201, and got 400: ' + JSON.stringify(body),
    ]);
  });

  it('is nothing if the status is the one', () => {
    expect(statusFaults({ ...request, what: 'no name' }, { status: 409, headers: {}, body })).toEqual([]);
  });
});
