import {
  type BeforeApplicationShutdown,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { Column, DataSource, Entity, PrimaryGeneratedColumn, Repository } from 'typeorm';
import type { Int64 } from '../src/kernel/json/int64.js';
import { eventually } from './support/eventually.js';
import { Petstore } from './support/petstore.js';
import { withClient } from './support/test-database.js';

@Entity('on_ticks')
class Tick {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: Int64;

  @Column('text')
  name!: string;
}

/** Works continuously, and records each hook. */
@Injectable()
class TickingService
  implements
    OnModuleInit,
    OnApplicationBootstrap,
    OnModuleDestroy,
    BeforeApplicationShutdown,
    OnApplicationShutdown
{
  readonly failures: unknown[] = [];
  private timer?: NodeJS.Timeout;
  /** One tick at a time, so that the last one can be awaited. */
  private ticking: Promise<unknown> | undefined;

  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(Tick) private readonly ticks: Repository<Tick>,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.dataSource.query(
      'CREATE TABLE on_ticks (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL)',
    );
    await this.note('onModuleInit');
    this.timer = setInterval(() => {
      this.ticking ??= this.tick()
        .catch((error: unknown) => this.failures.push(error))
        .finally(() => (this.ticking = undefined));
    }, 5);
  }

  onApplicationBootstrap(): Promise<void> {
    return this.note('onApplicationBootstrap');
  }

  onModuleDestroy(): Promise<void> {
    return this.note('onModuleDestroy');
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.note('beforeApplicationShutdown');
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.ticking;
    await this.note('onApplicationShutdown');
  }

  private async note(hook: string): Promise<void> {
    const before = await this.ticks.findOneBy({ name: hook }); // read through the fast path
    await this.ticks.save({ name: before ? 'again' : hook });
  }

  private async tick(): Promise<void> {
    await this.dataSource.transaction((manager) => manager.insert(Tick, { name: 'tick' }));
    await this.ticks.findOneBy({ name: 'tick' });
  }
}

@Module({ imports: [TypeOrmModule.forFeature([Tick])], providers: [TickingService] })
class TicksModule {}

describe('a provider of a module', () => {
  it('can use the database in every lifecycle hook, and in a timer from the first to the last', async () => {
    const own = await Petstore.start({ modules: [TicksModule] });
    try {
      const { failures } = own.app.get(TickingService);
      const ticks = async () => (await own.query(`SELECT 1 FROM on_ticks WHERE name LIKE 'tick%'`)).length;
      await eventually(async () => (await ticks()) > 10);
      await own.app.close();
      const hooks = await withClient(own.databaseUrl, (client) =>
        client.query<Tick>(`SELECT name FROM on_ticks WHERE name LIKE '%on%' ORDER BY id`),
      );
      expect(failures).toEqual([]);
      expect(hooks.rows.map(({ name }) => name)).toEqual(
        ['onModuleInit', 'onApplicationBootstrap', 'onModuleDestroy'].concat([
          'beforeApplicationShutdown',
          'onApplicationShutdown',
        ]),
      );
    } finally {
      await own.stop();
    }
  });
});
