import { type ArgumentsHost, Catch, Controller, Get, Injectable, Module, Post } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { Test } from '@nestjs/testing';
import { getRepositoryToken, InjectRepository } from '@nestjs/typeorm';
import {
  Column,
  DataSource,
  Entity,
  ManyToOne,
  MoreThan,
  OneToMany,
  PrimaryGeneratedColumn,
  Repository,
} from 'typeorm';
import { ApiKey } from '../../src/platform/access/keys/api-key.entity.js';
import {
  AnyKey,
  type Changes,
  Clock,
  Created,
  Deprecated,
  DomainError,
  ErrorFilter,
  eventType,
  findById,
  Id,
  Idempotent,
  type Int64,
  keysetPage,
  type Page,
  type PageRequest,
  UnitOfWork,
  type Variables,
} from '../../src/platform/index.js';
import { mockRepository, Petstore, UnitTestModule } from '../platform.js';
import { withClient } from '../support/test-database.js';

/** Like those of a feature. */
class ToyNotFound extends DomainError {
  constructor(id: Int64 | string) {
    super('not_found', 'toy_not_found', `There is no toy with the id ${id}.`);
  }
}

class ToyResponse {
  readonly name!: string;
}

class ToyData {
  readonly name!: string;
  static from({ name }: ApiKey): ToyData {
    return { name };
  }
}

const TOY_RENAMED = eventType('toy.renamed', ToyData, { description: 'A toy has another name.' });

/** Reads and writes as a generated service does. */
@Injectable()
class ToysService {
  constructor(
    @InjectRepository(ApiKey) private readonly toys: Repository<ApiKey>,
    readonly clock: Clock,
  ) {}

  list(query: PageRequest): Promise<Page<ApiKey>> {
    return keysetPage(this.toys, query, { plan: 'pro' });
  }

  async get(id: Int64): Promise<ToyResponse> {
    const toy = await findById(this.toys, id);
    if (!toy) throw new ToyNotFound(id);
    return toy;
  }

  rename(id: Int64, name: string, changes: Changes): Promise<ToyResponse> {
    return changes.transaction(async (changes) => {
      const toys = changes.manager.getRepository(ApiKey);
      const toy = await findById(toys, id, { lock: { mode: 'pessimistic_write' } });
      if (!toy) throw new ToyNotFound(id);
      return changes.update(ApiKey, toy, { name }, TOY_RENAMED);
    });
  }
}

@AnyKey()
@Controller({ path: 'on-toys', version: '1' })
class ToysController {
  constructor(private readonly toys: ToysService) {}

  @Get(':toyId')
  @Deprecated({ since: '2026-12-01', sunset: '2030-12-01', successor: '/v1/on-toys', use: 'GET /v1/on-toys' })
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

@Catch(RangeError)
class NoSuchToyFilter extends ErrorFilter {
  override catch(_error: RangeError, host: ArgumentsHost): void {
    super.catch(new ToyNotFound(1n), host);
  }
}

class Toys {
  get(): Promise<ToyResponse> {
    return Promise.resolve(BALL);
  }
}

@Module({ controllers: [ToysController], providers: [{ provide: ToysService, useClass: Toys }] })
class ToysModule {
  static readonly events = [TOY_RENAMED];
}

class ToysConfig {
  readonly most: number;
  constructor(variables: Variables) {
    this.most = variables.wholeNumber('TOYS_MOST', { min: 1, max: 9, fallback: 5 });
  }
}

@Module({})
class LimitedToysModule {
  static readonly settings = [ToysConfig];
}

const outOfToys = () => Promise.reject(new Error('Out of toys.'));

/** It fails when the pool is open, which nobody can close then. */
@Module({ providers: [{ provide: 'BROKEN', inject: [DataSource], useFactory: outOfToys }] })
class BrokenToysModule {}

class Audited {
  @PrimaryGeneratedColumn()
  readonly id!: number;

  @ManyToOne('Owner')
  readonly owner!: object;
}

class Place {
  @ManyToOne(() => Room)
  readonly room!: object;
}

/** Another suite of the same process may have a class of this name. */
const anotherOwner = () => {
  @Entity('other_owners')
  class Owner {
    @PrimaryGeneratedColumn()
    readonly id!: number;
  }
  return Owner;
};
anotherOwner();

@Entity('toy_boxes')
class Box extends Audited {
  @Column(() => Place)
  readonly place!: Place;

  @OneToMany(() => Label, (label: Label) => label.box)
  readonly labels!: object[];
}

@Entity('box_owners')
class Owner {
  @PrimaryGeneratedColumn()
  readonly id!: number;
}

@Entity('toy_rooms')
class Room extends Audited {}

@Entity('toy_labels')
class Label extends Audited {
  @ManyToOne(() => Box, (box: Box) => box.labels)
  readonly box!: object;
}

const BALL: ToyResponse = { name: 'Ball' };

/** docs/platform.md */
describe('a unit test as the Nest documentation writes it', () => {
  it('tests a controller with a mocked service', async () => {
    const toys = { get: jest.fn().mockResolvedValue(BALL) };
    const module = await Test.createTestingModule({
      imports: [UnitTestModule],
      controllers: [ToysController],
      providers: [{ provide: ToysService, useValue: toys }],
    }).compile();
    expect(await module.get(ToysController).get(1n)).toBe(BALL);
    expect(toys.get).toHaveBeenCalledWith(1n);
  });

  it('tests a filter that answers with an error of the domain', async () => {
    const module = await Test.createTestingModule({
      imports: [UnitTestModule],
      providers: [NoSuchToyFilter],
    }).compile();
    const filter = module.get(NoSuchToyFilter);
    const respond = jest.spyOn(filter, 'respond').mockReturnValue();
    filter.catch(new RangeError(), new ExecutionContextHost([{}, {}]));
    expect(respond).toHaveBeenCalledWith(new ToyNotFound(1n), {}, {});
  });

  describe('of a service with a mocked repository', () => {
    const find = jest.fn();
    let toys: Repository<ApiKey>;
    let service: ToysService;

    beforeAll(async () => {
      toys = await mockRepository(ApiKey, { find });
      const module = await Test.createTestingModule({
        providers: [ToysService, { provide: getRepositoryToken(ApiKey), useValue: toys }],
      })
        .useMocker(() => ({}))
        .compile();
      service = module.get(ToysService);
    });

    it('reads one', async () => {
      find.mockResolvedValueOnce([BALL]);
      expect(await service.get(7n)).toBe(BALL);
      expect(find).toHaveBeenLastCalledWith({ where: { id: 7n } });
      find.mockResolvedValueOnce([]);
      await expect(service.get(8n)).rejects.toThrow(ToyNotFound);
    });

    it('reads pages, with a cursor of the next one', async () => {
      find.mockResolvedValueOnce([{ id: 1n }, { id: 2n }]);
      const first = await service.list({ limit: 1 });
      expect([...first]).toEqual([{ id: 1n }]);
      find.mockResolvedValueOnce([{ id: 2n }]);
      const second = await service.list({ limit: 1, cursor: first.next });
      expect([...second]).toEqual([{ id: 2n }]);
      expect(find).toHaveBeenLastCalledWith(
        expect.objectContaining({ where: { plan: 'pro', id: MoreThan(1n) }, take: 2 }),
      );
    });

    it('reads pages in the order of another column', async () => {
      find.mockResolvedValue([]);
      await expect(keysetPage(toys, { limit: 1 }, {}, { by: 'createdAt' })).rejects.toThrow(
        "the repository's own find()",
      );
    });

    it('names mockRepository to a test that mocks only methods', async () => {
      const line = 'In a unit test, use await mockRepository(Toy, { find }) of test/platform.ts.';
      const onlyFind = { find } as unknown as Repository<ApiKey>;
      await expect(findById(onlyFind, 7n)).rejects.toThrow(line);
      await expect(keysetPage(onlyFind, { limit: 1 })).rejects.toThrow(line);
    });

    it('writes with a mock of Changes', async () => {
      find.mockResolvedValueOnce([BALL]);
      const update = jest.fn().mockResolvedValueOnce({ name: 'Bone' });
      const changes = { manager: { getRepository: () => toys }, update };
      const unitOfWork = { transaction: (work: (inside: object) => unknown) => work(changes) };
      expect(await service.rename(7n, 'Bone', unitOfWork as unknown as Changes)).toEqual({ name: 'Bone' });
      expect(update).toHaveBeenCalledWith(ApiKey, BALL, { name: 'Bone' }, TOY_RENAMED);
    });
  });
});

describe('mockRepository of an entity with relations', () => {
  it('finds the others: in a circle, of an embedded class, of one that it extends, by name', async () => {
    const find = jest.fn().mockResolvedValue([{ id: 7 }]);
    const boxes = await mockRepository(Box, { find });
    expect(await findById(boxes, 7)).toEqual({ id: 7 });
    const relations = boxes.metadata.relations.map(({ propertyPath, type }) => [propertyPath, type]);
    expect(Object.fromEntries(relations)).toEqual({ owner: 'Owner', 'place.room': Room, labels: Label });
    expect(boxes.manager.getRepository(Owner).metadata.tableName).toBe('box_owners');
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
      .get('/v1/on-toys/1')
      .expect(404);
    expect(body).toMatchObject({ code: 'toy_not_found' });
    await petstore.stop();
  });
});

describe('Petstore.start() of a service that does not start', () => {
  it('names an invalid setting of a module, and makes no database for it', async () => {
    const through = jest.fn<Promise<{ url: string }>, [string]>();
    const env = { TOYS_MOST: '10' };
    await expect(Petstore.start({ modules: [LimitedToysModule], env, through })).rejects.toThrow('TOYS_MOST');
    expect(through).not.toHaveBeenCalled();
  });

  it('drops its database if a provider cannot be made', async () => {
    let database = '';
    const through = (url: string) => Promise.resolve({ url: (database = url) });
    await expect(Petstore.start({ modules: [BrokenToysModule], through })).rejects.toThrow('Out of toys.');
    await expect(withClient(database, (client) => client.query('SELECT'))).rejects.toThrow('does not exist');
  });
});
