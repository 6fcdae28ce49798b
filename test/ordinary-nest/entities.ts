import {
  Body,
  Controller,
  Delete,
  Get,
  Injectable,
  Module,
  type OnModuleInit,
  Param,
  Patch,
  Post,
} from '@nestjs/common';
import { InjectEntityManager, InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import {
  AfterLoad,
  BeforeInsert,
  ChildEntity,
  Column,
  CreateDateColumn,
  DataSource,
  DeleteDateColumn,
  Entity,
  EntityManager,
  type EntitySubscriberInterface,
  ILike,
  type InsertEvent,
  JoinTable,
  ManyToMany,
  ManyToOne,
  OneToMany,
  OptimisticLockVersionMismatchError,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  Repository,
  TableInheritance,
  UpdateDateColumn,
  VersionColumn,
  ViewColumn,
  ViewEntity,
} from 'typeorm';
import { keysetPage } from '../../src/database/pagination/keyset.js';
import type { Int64 } from '../../src/kernel/json/int64.js';
import type { Topic } from './topics.js';

class Name {
  @Column('text')
  first!: string;

  @Column('text', { nullable: true })
  last?: string | null;
}

enum Role {
  Keeper = 'keeper',
  Vet = 'vet',
}

@Entity('on_people')
class Person {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: Int64;

  @Column(() => Name)
  name!: Name;

  @Column('text', { select: false })
  passwordHash?: string;

  @Column('text', {
    transformer: { to: (value: string) => value.toLowerCase(), from: (value: string) => value },
  })
  email!: string;

  @Column('enum', { enum: Role, default: Role.Keeper })
  role!: Role;

  @Column('text', { array: true, default: '{}' })
  tags!: string[];

  @Column('jsonb', { default: {} })
  settings!: Record<string, unknown>;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt!: Date;

  @DeleteDateColumn({ type: 'timestamptz' })
  deletedAt!: Date | null;

  @VersionColumn()
  version!: number;

  @OneToMany('Cage', 'keeper')
  cages!: Cage[];

  initials?: string;
  private prepared = false;

  @BeforeInsert()
  prepare(): void {
    this.prepared = true;
    this.passwordHash ??= 'hash';
  }

  @AfterLoad()
  abbreviate(): void {
    this.initials = `${this.name.first.charAt(0)}${this.name.last?.charAt(0) ?? ''}`;
  }

  get isPrepared(): boolean {
    return this.prepared;
  }
}

@Entity('on_cages')
class Cage {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column('text')
  label!: string;

  @ManyToOne(() => Person, 'cages', { eager: true, nullable: false })
  keeper!: Person;

  @ManyToMany('Toy', { cascade: true })
  @JoinTable({ name: 'on_cages_toys' })
  toys!: Toy[];
}

@Entity('on_toys')
@TableInheritance({ column: { type: 'text', name: 'type' } })
class Toy {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id!: Int64;

  @Column('text')
  name!: string;
}

@ChildEntity('ball')
class Ball extends Toy {
  @Column('integer')
  diameter!: number;
}

@Entity({ schema: 'on_elsewhere', name: 'visits' })
class Visit {
  @PrimaryColumn('integer')
  year!: number;

  @PrimaryColumn('integer')
  number!: number;

  @Column('integer', { name: 'the "count"', default: 0 })
  count!: number;
}

@ViewEntity('on_keepers', { expression: '' })
class Keeper {
  @ViewColumn()
  first!: string;

  @ViewColumn()
  cages!: Int64;
}

@Injectable()
class PersonSubscriber implements EntitySubscriberInterface<Person> {
  readonly inserted: string[] = [];

  constructor(dataSource: DataSource) {
    dataSource.subscribers.push(this);
  }

  listenTo(): typeof Person {
    return Person;
  }

  afterInsert({ entity }: InsertEvent<Person>): void {
    this.inserted.push(entity.name.first);
  }
}

@Controller({ path: 'on-people', version: '1' })
class PeopleController {
  constructor(
    @InjectRepository(Person) private readonly people: Repository<Person>,
    @InjectRepository(Cage) private readonly cages: Repository<Cage>,
    @InjectRepository(Visit) private readonly visits: Repository<Visit>,
    @InjectEntityManager() private readonly manager: EntityManager,
    private readonly subscriber: PersonSubscriber,
  ) {}

  @Post()
  async create(@Body() body: object): Promise<object> {
    const person = await this.people.save(this.people.create(body as Person));
    return {
      id: person.id,
      role: person.role,
      isPrepared: person.isPrepared,
      heard: this.subscriber.inserted,
    };
  }

  @Get()
  async list(): Promise<Person[]> {
    const page = await keysetPage(this.people, { limit: 10 }, { name: { first: ILike('%a%') } });
    return [...page];
  }

  @Get('keepers')
  keepers(): Promise<Keeper[]> {
    return this.manager.find(Keeper, { order: { first: 'ASC' } });
  }

  @Get(':id')
  async get(@Param('id') id: string): Promise<object> {
    return { person: await this.people.findOneBy({ id: Number(id) }) };
  }

  @Patch(':id')
  async rename(@Param('id') id: string, @Body() { first }: { first: string }): Promise<object> {
    const person = await this.people.findOneByOrFail({ id: Number(id) });
    const renamed = await this.people.save(this.people.merge(person, { name: { first } }));
    const locked = this.manager.transaction((manager) =>
      manager.findOne(Person, { where: { id: Number(id) }, lock: { mode: 'optimistic', version: 1 } }),
    );
    const conflict = await locked.catch(
      (error: unknown) => error instanceof OptimisticLockVersionMismatchError,
    );
    return { version: renamed.version, conflict };
  }

  @Delete(':id')
  async remove(@Param('id') id: string): Promise<object> {
    const { affected } = await this.people.softDelete(Number(id));
    const hidden = await this.people.findOneBy({ id: Number(id) });
    const kept = await this.people.findOne({ where: { id: Number(id) }, withDeleted: true });
    return { affected, hidden, isKept: kept?.deletedAt instanceof Date };
  }

  @Post(':id/cages')
  async addCage(@Param('id') id: string, @Body() { label }: { label: string }): Promise<object> {
    const toys = [this.manager.create(Ball, { name: 'ball', diameter: 7 })];
    const { id: cageId } = await this.cages.save({ label, keeper: { id: Number(id) }, toys });
    const cage = await this.cages.findOneOrFail({ where: { id: cageId }, relations: { toys: true } });
    const counted = await this.people
      .createQueryBuilder('person')
      .leftJoinAndSelect('person.cages', 'cage')
      .where('person.id = :id', { id })
      .getOneOrFail();
    return {
      keeper: cage.keeper.name.first,
      toys: cage.toys.map((toy) => (toy instanceof Ball ? `ball of ${toy.diameter}` : toy.name)),
      labels: counted.cages.map((one) => one.label),
    };
  }

  @Post('visits')
  async visit(): Promise<object> {
    const key = { year: 2026, number: 1 };
    await this.visits.upsert({ ...key }, ['year', 'number']);
    await this.visits.upsert({ ...key }, ['year', 'number']);
    await this.visits.increment(key, 'count', 3);
    const [visit, total] = await this.visits.findAndCount({ where: key });
    return { visit, total };
  }
}

@Module({
  imports: [TypeOrmModule.forFeature([Person, Cage, Toy, Ball, Visit, Keeper])],
  controllers: [PeopleController],
  providers: [PersonSubscriber],
})
class EntitiesModule implements OnModuleInit {
  constructor(private readonly dataSource: DataSource) {}

  async onModuleInit(): Promise<void> {
    await this.dataSource.query(`
      CREATE TYPE on_people_role_enum AS ENUM ('keeper', 'vet');
      CREATE TABLE on_people (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        "nameFirst" text NOT NULL, "nameLast" text, "passwordHash" text NOT NULL, email text NOT NULL,
        role on_people_role_enum NOT NULL DEFAULT 'keeper', tags text[] NOT NULL DEFAULT '{}',
        settings jsonb NOT NULL DEFAULT '{}', "createdAt" timestamptz NOT NULL DEFAULT now(),
        "updatedAt" timestamptz NOT NULL DEFAULT now(), "deletedAt" timestamptz, version integer NOT NULL);
      CREATE EXTENSION IF NOT EXISTS "uuid-ossp";
      CREATE TABLE on_cages (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), label text NOT NULL,
        "keeperId" bigint NOT NULL REFERENCES on_people);
      CREATE TABLE on_toys (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, name text NOT NULL,
        type text NOT NULL, diameter integer);
      CREATE TABLE on_cages_toys ("onCagesId" uuid REFERENCES on_cages, "onToysId" bigint REFERENCES on_toys);
      CREATE SCHEMA on_elsewhere;
      CREATE TABLE on_elsewhere.visits (year integer, number integer, "the ""count""" integer NOT NULL DEFAULT 0,
        PRIMARY KEY (year, number));
      CREATE VIEW on_keepers AS SELECT "nameFirst" AS first, count(on_cages.id) AS cages
        FROM on_people LEFT JOIN on_cages ON "keeperId" = on_people.id GROUP BY 1`);
  }
}

export const entities: Topic = {
  name: 'with entities',
  module: EntitiesModule,
  tests(scene) {
    const send = async (method: 'get' | 'post' | 'patch' | 'delete', path: string, sent?: object) => {
      const response = await scene().client[method](`/v1/on-people${path}`).send(sent);
      return { status: response.status, body: response.body as unknown };
    };
    const ada = {
      name: { first: 'Ada', last: 'L' },
      email: 'ADA@example.com',
      tags: ['a', 'b,c'],
      settings: { theme: 'dark', big: '9007199254740993' },
      unknown: 'left out',
    };
    let id: number;

    it('inserts with listeners, subscribers, defaults, embedded columns and transformers', async () => {
      const { status, body } = await send('post', '', ada);
      expect({ status, body }).toEqual({
        status: 201,
        body: { id: expect.any(Number) as unknown, role: 'keeper', isPrepared: true, heard: ['Ada'] },
      });
      ({ id } = body as { id: number });
    });

    it('reads what a listener makes, and no hidden column', async () => {
      const { body } = await send('get', `/${id}`);
      const { person } = body as { person: Record<string, unknown> };
      expect(person).toMatchObject({
        name: ada.name,
        email: 'ada@example.com',
        tags: ada.tags,
        settings: ada.settings,
        initials: 'AL',
        version: 1,
        deletedAt: null,
      });
      expect(person).not.toHaveProperty('passwordHash');
      const list = await send('get', '');
      expect(list.body).toEqual([person]);
    });

    it('updates with versions and optimistic locks', async () => {
      const { body } = await send('patch', `/${id}`, { first: 'Ava' });
      expect(body).toEqual({ version: 2, conflict: true });
    });

    it('has relations, cascades, inheritance and views', async () => {
      const { body } = await send('post', `/${id}/cages`, { label: 'north' });
      expect(body).toEqual({ keeper: 'Ava', toys: ['ball of 7'], labels: ['north'] });
      expect((await send('get', '/keepers')).body).toEqual([{ first: 'Ava', cages: 1 }]);
    });

    it('has composite keys, other schemas and upserts', async () => {
      const { body } = await send('post', '/visits');
      expect(body).toEqual({ visit: [{ year: 2026, number: 1, count: 3 }], total: 1 });
    });

    it.each([
      ['a text', { name: { first: 'A\0' }, email: 'x' }],
      ['JSON', { name: { first: 'A' }, email: 'x', settings: { note: '\0' } }],
    ])('refuses a character that PostgreSQL cannot store, in %s, with 400', async (_, person) => {
      expect(await send('post', '', person)).toMatchObject({
        status: 400,
        body: { code: 'validation_failed' },
      });
    });

    it('deletes softly', async () => {
      const { body } = await send('delete', `/${id}`);
      expect(body).toEqual({ affected: 1, hidden: null, isKept: true });
    });
  },
};
