import { Controller, Get, Injectable, Module, Post } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { getRepositoryToken, InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { ApiKey } from '../../src/platform/auth/api-key.entity.js';
import {
  Changes,
  Created,
  Deprecated,
  DomainError,
  Id,
  Idempotent,
  type Int64,
  UnitOfWork,
} from '../../src/platform/index.js';
import { Petstore } from '../support/petstore.js';

/** Like those of a feature. */
class ToyNotFound extends DomainError {
  constructor(id: Int64 | string) {
    super('not_found', 'toy_not_found', `There is no toy with the id ${id}.`);
  }
}

class ToyResponse {
  readonly name!: string;
}

@Injectable()
class ToysService {
  constructor(
    @InjectRepository(ApiKey) private readonly toys: Repository<ApiKey>,
    readonly changes: Changes,
  ) {}

  async get(id: Int64): Promise<ToyResponse> {
    const toy = await this.toys.findOneBy({ id });
    if (!toy) throw new ToyNotFound(id);
    return toy;
  }
}

@Controller({ path: 'toys', version: '1' })
class ToysController {
  constructor(private readonly toys: ToysService) {}

  @Get(':toyId')
  @Deprecated({ since: '2026-12-01', sunset: '2030-12-01', successor: '/v1/toys', use: 'GET /v1/toys' })
  get(@Id('toyId', ToyNotFound) id: Int64): Promise<ToyResponse> {
    return this.toys.get(id);
  }

  @Post()
  @Idempotent()
  @Created(ToyResponse)
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- @Idempotent() requires it
  create(@UnitOfWork() _changes: Changes): Promise<ToyResponse> {
    return this.toys.get(1n);
  }
}

class Toys {
  get(): Promise<ToyResponse> {
    return Promise.resolve(BALL);
  }
}

@Module({ controllers: [ToysController], providers: [{ provide: ToysService, useClass: Toys }] })
class ToysModule {}

const BALL: ToyResponse = { name: 'Ball' };

/** docs/testing.md */
describe('a unit test as the Nest documentation writes it', () => {
  it('tests a controller with a mocked service', async () => {
    const toys = { get: jest.fn().mockResolvedValue(BALL) };
    const module = await Test.createTestingModule({
      controllers: [ToysController],
      providers: [{ provide: ToysService, useValue: toys }],
    }).compile(); // without the dependencies of @Idempotent() and @Deprecated()
    expect(await module.get(ToysController).get(1n)).toBe(BALL);
    expect(toys.get).toHaveBeenCalledWith(1n);
  });

  it('tests a service with a mocked repository and other dependencies from useMocker()', async () => {
    const toys = { findOneBy: jest.fn().mockResolvedValue(null) };
    const module = await Test.createTestingModule({
      providers: [ToysService, { provide: getRepositoryToken(ApiKey), useValue: toys }],
    })
      .useMocker(() => ({}))
      .compile();
    await expect(module.get(ToysService).get(7n)).rejects.toThrow(ToyNotFound);
  });
});

describe('Petstore.start({ override })', () => {
  it('replaces a provider of the service', async () => {
    const toys = {
      get: () => {
        throw new ToyNotFound(1n);
      },
    };
    const petstore = await Petstore.start({
      modules: [ToysModule],
      override: [{ provide: ToysService, useValue: toys }],
    });
    const { body } = await petstore
      .client(await petstore.key())
      .get('/v1/toys/1')
      .expect(404);
    expect(body).toMatchObject({ code: 'toy_not_found' });
    await petstore.stop();
  });
});
