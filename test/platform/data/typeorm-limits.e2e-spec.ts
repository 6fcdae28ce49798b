import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  Column,
  DataSource,
  Entity,
  JoinColumn,
  ManyToOne,
  PrimaryGeneratedColumn,
  TypeORMError,
} from 'typeorm';
import { Changes, EventsModule, eventType, type Int64, keysetPage } from '../../../src/platform/index.js';
import { Petstore } from '../../support/petstore.js';

@Entity('on_lazy_owners')
class Owner {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: Int64;
}

@Entity('on_lazy_cats')
class Cat {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: Int64;

  @Column('text')
  name!: string;

  @ManyToOne(() => Owner, { lazy: true, nullable: true })
  @JoinColumn({ name: 'owner_id' })
  owner!: Promise<Owner | null>;
}

class CatData {
  readonly name!: string;
  static from({ name }: Cat): CatData {
    return { name };
  }
}

const CAT_CHANGED = eventType('cat.changed', CatData, { description: 'A cat changed.' });

@Module({ imports: [TypeOrmModule.forFeature([Owner, Cat]), EventsModule] })
class CatsModule {
  static readonly events = [CAT_CHANGED];
}

let petstore: Petstore;
beforeAll(async () => {
  petstore = await Petstore.start({ modules: [CatsModule] });
  await petstore.query(
    `CREATE TABLE on_lazy_owners (id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY);
     CREATE TABLE on_lazy_cats (id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, name text, owner_id bigint REFERENCES on_lazy_owners)`,
  );
});
afterAll(() => petstore.stop());

describe('an entity with a lazy relation', () => {
  const cats = () => petstore.query('SELECT name, owner_id FROM on_lazy_cats ORDER BY id');
  const named = { name: 'Tom' };

  it('is written without it', async () => {
    const changes = petstore.app.get(Changes);
    const tom = await changes.insert(Cat, named, CAT_CHANGED);
    await changes.update(Cat, tom, { name: 'Tim' }, CAT_CHANGED);
    expect(await cats()).toEqual([{ name: 'Tim', owner_id: null }]);
    await changes.delete(Cat, tom, CAT_CHANGED);
    expect(await cats()).toEqual([]);
  });

  it('is refused with the promise of it, and nothing is written', async () => {
    const changes = petstore.app.get(Changes);
    const owner = Promise.resolve(await petstore.app.get(DataSource).getRepository(Owner).save({}));
    await expect(changes.insert(Cat, { ...named, owner }, CAT_CHANGED)).rejects.toThrow(TypeORMError);
    expect(await cats()).toEqual([]);
    const tom = await changes.insert(Cat, named, CAT_CHANGED);
    await expect(changes.update(Cat, tom, { owner }, CAT_CHANGED)).rejects.toThrow(TypeORMError);
    expect(await cats()).toEqual([{ name: 'Tom', owner_id: null }]);
  });
});

describe('keysetPage on a second data source', () => {
  it('has ids as texts, as TypeORM does, and visits each row once', async () => {
    await petstore.query('INSERT INTO on_lazy_owners SELECT FROM generate_series(1, 5)');
    const second = new DataSource({ type: 'postgres', url: petstore.databaseUrl, entities: [Owner] });
    const owners = (await second.initialize()).getRepository(Owner);
    const all = (await owners.find({ order: { id: 'ASC' } })).map(({ id }) => id);
    const seen: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page = await keysetPage(owners, { limit: 2, cursor });
      seen.push(...page.map(({ id }) => id));
      cursor = page.next;
    } while (cursor !== undefined);
    await second.destroy();
    expect(seen).toEqual(all);
    expect(new Set(seen.map((id) => typeof id))).toEqual(new Set(['string']));
  });
});
