import {
  Controller,
  HttpCode,
  Injectable,
  Module,
  NotFoundException,
  type OnModuleInit,
  Param,
  Post,
} from '@nestjs/common';
import { InjectDataSource, InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { AsyncLocalStorage } from 'node:async_hooks';
import { text } from 'node:stream/consumers';
import type { Client } from 'pg';
import {
  Column,
  DataSource,
  Entity,
  EntityManager,
  PrimaryGeneratedColumn,
  QueryFailedError,
  Repository,
} from 'typeorm';
import { keysetPage } from '../../src/database/pagination/keyset.js';
import { Idempotent } from '../../src/idempotency/idempotent.decorator.js';
import type { Int64 } from '../../src/kernel/json/int64.js';
import { eventually } from '../support/eventually.js';
import type { Topic } from './topics.js';

@Entity('on_accounts')
class Account {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: Int64;

  @Column('text', { unique: true })
  name!: string;
}

const current = new AsyncLocalStorage<EntityManager>();

/** As the wrappers of npm do it: inside, every repository works on the manager of the transaction. */
function Transactional(): MethodDecorator {
  return (_, __, descriptor: PropertyDescriptor) => {
    const method = descriptor.value as (...args: unknown[]) => Promise<unknown>;
    descriptor.value = function (this: ScenariosService, ...args: unknown[]) {
      return this.dataSource.transaction((manager) => current.run(manager, () => method.apply(this, args)));
    };
  };
}

type Scenario = (this: ScenariosService, name: string) => Promise<unknown>;

@Injectable()
class ScenariosService {
  private readonly wrapped: Repository<Account>;
  private readonly named: Repository<Account> & { named(name: string): Promise<Account[]> };

  constructor(
    readonly dataSource: DataSource,
    @InjectDataSource('second') private readonly second: DataSource,
    @InjectRepository(Account) private readonly accounts: Repository<Account>,
  ) {
    this.named = accounts.extend({
      named(this: Repository<Account>, name: string) {
        return this.find({ where: { name } });
      },
    });
    this.wrapped = accounts.extend({});
    Object.defineProperty(this.wrapped, 'manager', { get: () => current.getStore() ?? accounts.manager });
  }

  run(scenario: string, name: string): Promise<unknown> {
    const own: Partial<Record<string, Scenario>> = this.scenarios;
    const method = own[scenario];
    if (!method) throw new NotFoundException();
    return method.call(this, name);
  }

  /** The second insert fails, so nothing may be left of the first. */
  private readonly scenarios = {
    async callback(name: string) {
      await this.dataSource.transaction(async (manager) => {
        const accounts = manager.getRepository(Account);
        await accounts.save({ name });
        await accounts.save({ name });
      });
    },

    async byHand(name: string) {
      const queryRunner = this.dataSource.createQueryRunner();
      await queryRunner.connect();
      await queryRunner.startTransaction();
      try {
        const accounts = queryRunner.manager.getRepository(Account);
        await accounts.save({ name });
        await accounts.save({ name });
        await queryRunner.commitTransaction();
      } catch (error) {
        await queryRunner.rollbackTransaction();
        throw error;
      } finally {
        if (queryRunner.isTransactionActive) await queryRunner.rollbackTransaction();
        await queryRunner.release();
      }
    },

    async byHandAndCommitted(name: string) {
      const queryRunner = this.dataSource.createQueryRunner();
      await queryRunner.connect();
      await queryRunner.startTransaction();
      try {
        await queryRunner.manager.save(Account, { name });
        await queryRunner.commitTransaction();
      } finally {
        if (queryRunner.isTransactionActive) await queryRunner.rollbackTransaction();
        await queryRunner.release();
      }
      await this.accounts.save({ name: `${name} afterwards` });
      return { released: queryRunner.isReleased };
    },

    async customRepository(name: string) {
      await this.dataSource.transaction(async (manager) => {
        const accounts = manager.withRepository(this.named);
        await accounts.save({ name });
        const [found] = await accounts.named(name);
        await accounts.save({ name: found?.name ?? '' });
      });
    },

    async wrapper(name: string) {
      await this.twice(name);
    },

    async sees(name: string) {
      return this.dataSource.transaction(async (manager) => {
        const accounts = manager.getRepository(Account);
        const { id } = await accounts.save({ name });
        const found = await accounts.findOneBy({ id });
        const page = await keysetPage(accounts, { limit: 10 }, { name });
        const outside = await this.accounts.findOneBy({ id });
        return {
          found: found?.name,
          page: [...page].map((one) => one.name),
          outside: outside?.name ?? null,
        };
      });
    },

    async goesOnAfterConflict(name: string) {
      await this.accounts.insert({ name });
      try {
        await this.accounts.insert({ name });
      } catch (error) {
        if (!(error instanceof QueryFailedError)) throw error;
        const { code } = error.driverError as { code?: string };
        return { code, stored: await this.accounts.countBy({ name }) };
      }
      throw new Error('no conflict');
    },

    async innerFails(name: string) {
      await this.accounts.save({ name: `${name} before` });
      const inner = this.dataSource.transaction(async (manager) => {
        await manager.save(Account, { name: `${name} lost` });
        await manager.query('SELECT 1 / 0');
      });
      const reason = await inner.catch((error: unknown) => (error as Error).name);
      await this.accounts.save({ name: `${name} after` });
      return { reason };
    },

    async nested(name: string) {
      await this.dataSource.transaction(async (outer) => {
        await outer.save(Account, { name: `${name} outer` });
        await outer
          .transaction(async (inner) => {
            await inner.save(Account, { name: `${name} inner` });
            throw new Error('only the inner one');
          })
          .catch(() => undefined);
        await outer.save(Account, { name: `${name} outer too` });
      });
    },

    async atTheSameTime(name: string) {
      await Promise.all(
        [1, 2, 3].map((n) =>
          this.dataSource.transaction(async (manager) => {
            await manager.save(Account, { name: `${name} ${n}a` });
            await manager.save(Account, { name: `${name} ${n}b` });
          }),
        ),
      );
    },

    async oneOfTwoFails(name: string) {
      const outcomes = await Promise.allSettled([
        this.dataSource.transaction(async (manager) => {
          await manager.save(Account, { name: `${name} kept` });
        }),
        this.accounts.insert({ name }).then(() => this.accounts.insert({ name })),
      ]);
      return outcomes.map(({ status }) => status);
    },

    async streams(name: string) {
      await this.accounts.insert([{ name: `${name} a` }, { name: `${name} b` }]);
      const rows = await this.accounts
        .createQueryBuilder('account')
        .where('account.name LIKE :name', { name: `${name} %` })
        .orderBy('account.id')
        .stream();
      for await (const row of rows) {
        const { account_name: seen } = row as { account_name: string };
        await this.accounts.insert({ name: `${seen} seen` }); // while the stream is open
      }
    },

    async streamsAsText(name: string) {
      await this.accounts.insert({ name });
      const sql = 'SELECT name FROM on_accounts WHERE name = $1';
      const queryRunner = this.dataSource.createQueryRunner();
      const rows = await queryRunner.stream(sql, [name], () => void queryRunner.release());
      return { text: await text(rows.map((row: { name: string }) => row.name)) };
    },

    async anotherDatabase(name: string) {
      await this.second.getRepository(Account).save({ name: `${name} elsewhere` });
      const found = await this.second
        .getRepository(Account)
        .findOneBy({ id: 1 })
        .then(() => true);
      await this.accounts.save({ name });
      throw Object.assign(new Error('undo mine'), { found });
    },

    async notAwaited(name: string) {
      void this.dataSource.transaction(async (manager) => {
        await manager.save(Account, { name: `${name} first` });
        await manager.save(Account, { name: `${name} second` });
      });
      return Promise.resolve({});
    },

    async byHandInOneStatement(name: string) {
      await this.accounts.insert({ name: `${name} before` });
      await this.dataSource.query(`INSERT INTO on_accounts (name) VALUES ('${name} within'); COMMIT`);
    },

    async byHandWithChain(name: string) {
      await this.accounts.insert({ name: `${name} before` });
      await this.dataSource.query('COMMIT AND CHAIN');
    },

    async byHandWithWork(name: string) {
      await this.accounts.insert({ name: `${name} before` });
      await this.dataSource.query('/* done */ COMMIT WORK');
    },

    async byHandOnTheConnection(name: string) {
      await this.accounts.insert({ name: `${name} before` });
      const queryRunner = this.dataSource.createQueryRunner();
      const client = (await queryRunner.connect()) as Client;
      await client.query('COMMIT');
      await client.query('BEGIN');
      await queryRunner.release();
    },

    async innerCatches(name: string) {
      await this.accounts.insert({ name });
      const inner = this.dataSource.transaction(async (manager) => {
        await manager.insert(Account, { name: `${name} lost` });
        await manager.insert(Account, { name }).catch(() => undefined);
      });
      return { failed: await inner.then(() => false).catch(() => true) };
    },

    async innerTwice(name: string) {
      await this.dataSource.transaction(async (outer) => {
        await outer.transaction((inner) => inner.insert(Account, { name: `${name} one` }));
        await outer
          .transaction(async (inner) => {
            await inner.insert(Account, { name: `${name} lost` });
            throw new Error('undone');
          })
          .catch(() => undefined);
        await outer.transaction((inner) => inner.insert(Account, { name: `${name} two` }));
      });
    },

    async leaks(name: string) {
      const queryRunner = this.dataSource.createQueryRunner();
      await queryRunner.startTransaction();
      await queryRunner.manager.insert(Account, { name: `${name} lost` });
      await queryRunner.release();
      await this.accounts.insert({ name });
    },

    async undoneBesideAnother(name: string) {
      let begun: () => void = () => undefined;
      const hasBegun = new Promise<void>((resolve) => (begun = resolve));
      let written: () => void = () => undefined;
      const hasWritten = new Promise<void>((resolve) => (written = resolve));
      const undone = this.dataSource.transaction(async (manager) => {
        await manager.insert(Account, { name: `${name} undone` });
        begun();
        await hasWritten;
        throw new Error('undone');
      });
      await hasBegun;
      await this.accounts.insert({ name: `${name} beside` });
      written();
      await undone.catch(() => undefined);
    },

    async serializable(name: string) {
      await this.dataSource.transaction('SERIALIZABLE', (manager) => manager.save(Account, { name }));
    },
  } satisfies Record<string, Scenario>;

  @Transactional()
  private async twice(name: string): Promise<void> {
    await this.wrapped.save({ name });
    await this.wrapped.save({ name });
  }
}

@Controller({ path: 'on-transactions', version: '1' })
class TransactionsController {
  constructor(private readonly scenarios: ScenariosService) {}

  @Post('ordinary/:scenario/:name')
  @HttpCode(200)
  async ordinary(@Param('scenario') scenario: string, @Param('name') name: string): Promise<object> {
    return { result: await this.scenarios.run(scenario, name) };
  }

  @Post('idempotent/:scenario/:name')
  @HttpCode(200)
  @Idempotent()
  async idempotent(@Param('scenario') scenario: string, @Param('name') name: string): Promise<object> {
    return { result: await this.scenarios.run(scenario, name) };
  }
}

@Module({
  imports: [
    TypeOrmModule.forFeature([Account]),
    TypeOrmModule.forRootAsync({
      name: 'second',
      inject: [DataSource],
      useFactory: (first: DataSource) => ({
        type: 'postgres' as const,
        url: (first.options as { url: string }).url,
        entities: [Account],
      }),
    }),
  ],
  controllers: [TransactionsController],
  providers: [ScenariosService],
})
class TransactionsModule implements OnModuleInit {
  constructor(private readonly dataSource: DataSource) {}

  async onModuleInit(): Promise<void> {
    await this.dataSource.query(
      `CREATE TABLE on_accounts (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE)`,
    );
  }
}

let count = 0;

export const transactions: Topic = {
  name: 'with transactions',
  module: TransactionsModule,
  tests(scene) {
    describe.each(['ordinary', 'idempotent'])('of an %s operation', (kind) => {
      async function run(scenario: keyof ScenariosService['scenarios']) {
        const name = `account-${++count}`;
        const response = await scene()
          .client.post(`/v1/on-transactions/${kind}/${scenario}/${name}`)
          .set(kind === 'idempotent' ? { 'Idempotency-Key': name } : {});
        const { status, body } = response as { status: number; body: { result?: unknown } };
        return { name, status, result: body.result };
      }

      /** What comes after the common name of the accounts of a run, in the order in which they were made. */
      async function stored(name: string): Promise<string[]> {
        const sql = `SELECT name FROM on_accounts WHERE name = $1 OR name LIKE $1 || ' %' ORDER BY id`;
        const rows = await scene().petstore.query<Account>(sql, [name]);
        return rows.map((row) => row.name.slice(name.length).trim());
      }

      it.each(['callback', 'byHand', 'customRepository', 'wrapper'] as const)(
        'undoes the first of two rows where the second fails: %s',
        async (scenario) => {
          const { name, status } = await run(scenario);
          expect(status).toBe(500);
          expect(await stored(name)).toEqual([]);
        },
      );

      it('sees its own rows, by whichever function', async () => {
        const { name, result } = await run('sees');
        // With an idempotency key the whole request is one transaction, so there is no outside.
        const outside = kind === 'idempotent' ? name : null;
        expect(result).toEqual({ found: name, page: [name], outside });
      });

      it('commits by hand, and goes on afterwards', async () => {
        const { name, result } = await run('byHandAndCommitted');
        expect(result).toEqual({ released: true });
        expect(await stored(name)).toEqual(['', 'afterwards']);
      });

      it('goes on after a conflict that it has caught', async () => {
        const { name, result } = await run('goesOnAfterConflict');
        expect(result).toEqual({ code: '23505', stored: 1 });
        expect(await stored(name)).toEqual(['']);
      });

      it('loses nothing but the part that failed', async () => {
        const { name, result } = await run('innerFails');
        expect(result).toEqual({ reason: 'QueryFailedError' });
        expect(await stored(name)).toEqual(['before', 'after']);
      });

      it('has transactions in transactions', async () => {
        const { name } = await run('nested');
        expect(await stored(name)).toEqual(['outer', 'outer too']);
      });

      it('has several at the same time', async () => {
        const { name, status } = await run('atTheSameTime');
        expect(status).toBe(200);
        expect((await stored(name)).sort()).toEqual(['1a', '1b', '2a', '2b', '3a', '3b']);
      });

      it('keeps what succeeded beside what failed', async () => {
        const { name, result } = await run('oneOfTwoFails');
        expect(result).toEqual(['fulfilled', 'rejected']);
        expect((await stored(name)).sort()).toEqual(['', 'kept']);
      });

      it('streams rows, and writes while it does', async () => {
        const { name, status } = await run('streams');
        expect(status).toBe(200);
        expect(await stored(name)).toEqual(['a', 'b', 'a seen', 'b seen']);
      });

      it('streams by a query runner', async () => {
        const { name, result } = await run('streamsAsText');
        expect(result).toEqual({ text: name });
      });

      it('leaves another data source alone', async () => {
        const { name, status } = await run('anotherDatabase');
        expect(status).toBe(500);
        expect(await stored(name)).toEqual(kind === 'idempotent' ? ['elsewhere'] : ['elsewhere', '']);
      });

      it('finishes what the handler does not wait for', async () => {
        const { name, status } = await run('notAwaited');
        expect(status).toBe(200);
        await eventually(async () => (await stored(name)).length === 2);
      });

      it('undoes an inner transaction that has caught an error of PostgreSQL', async () => {
        const { name, status, result } = await run('innerCatches');
        expect({ status, result }).toEqual({ status: 200, result: { failed: true } });
        expect(await stored(name)).toEqual(['']);
      });

      it('has several inner transactions, one after the other', async () => {
        const { name } = await run('innerTwice');
        expect(await stored(name)).toEqual(['one', 'two']);
      });

      it('undoes a transaction that was left open', async () => {
        const { name, status } = await run('leaks');
        expect({ status, stored: await stored(name) }).toEqual({ status: 200, stored: [''] });
      });

      it('keeps what was written beside a transaction that is undone, or nothing', async () => {
        const { name, status } = await run('undoneBesideAnother');
        expect({ status, stored: await stored(name) }).toEqual(
          kind === 'idempotent' ? { status: 500, stored: [] } : { status: 200, stored: ['beside'] },
        );
      });

      it.each([
        'byHandInOneStatement',
        'byHandWithChain',
        'byHandWithWork',
        'byHandOnTheConnection',
      ] as const)(
        'cannot commit by a statement with a key, which would be without its response: %s',
        async (scenario) => {
          const { name, status } = await run(scenario);
          expect((await stored(name))[0]).toBe('before');
          if (kind === 'idempotent') expect(status).toBe(500);
        },
      );

      it('has an isolation level, or says that it cannot', async () => {
        const { name, status } = await run('serializable');
        expect({ status, stored: await stored(name) }).toEqual(
          kind === 'idempotent' ? { status: 500, stored: [] } : { status: 200, stored: [''] },
        );
      });
    });
  },
};
