import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import type { InjectionToken, Type } from '@nestjs/common';
import request from 'supertest';
import { DataSource } from 'typeorm';
import { minutes } from '../../src/platform/kernel/clock/duration.js';
import { TimeLimits } from '../../src/platform/kernel/clock/time-limits.js';
import { AppModule } from '../../src/app.module.js';
import { inspectSettings } from '../../src/platform/program/bootstrap/application.js';
import { newAdapter, setupApp } from '../../src/platform/program/bootstrap/create-app.js';
import { SERVICE } from '../../src/service.js';
import { ApiKeysService } from '../../src/platform/access/keys/api-keys.service.js';
import type { Scope } from '../../src/platform/access/keys/scopes.js';
import type { Limits, Plan } from '../../src/platform/access/plans/plans.js';
import { Clock } from '../../src/platform/kernel/clock/clock.js';
import { Config } from '../../src/platform/kernel/config/config.js';
import { Logger } from '../../src/platform/observe/logging/logger.js';
import { LoggingConfig } from '../../src/platform/observe/logging/logging.config.js';
import { OpenApiDocument } from '../../src/platform/program/openapi/document/openapi-document.js';
import { keepLog, rememberKey } from './run-log.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';
import { TestClock } from './test-clock.js';

interface PetstoreOptions {
  readonly env?: Record<string, string>;
  /** Additional features, as if added to FEATURES. */
  readonly modules?: readonly Type[];
  /** Replacement providers, like those for `overrideProvider()` of Nest. */
  readonly override?: readonly { readonly provide: InjectionToken; readonly useValue: unknown }[];
  /** Returns the URL of a proxy in front of the database, if the connection should not be direct. */
  readonly through?: (databaseUrl: string) => Promise<{ readonly url: string }>;
  /** `false` if the subject of the suite is how long the service waits. */
  readonly isPatient?: boolean;
}

const ENTERPRISE: Limits = { perMinute: 1_000_000, perDay: 10_000_000 };

const WAIT = minutes(2);

/** On a busy machine PostgreSQL may take longer than the service waits, which says nothing about what a test asserts. */
const PATIENT: TimeLimits = { connection: WAIT, query: WAIT, keyLookUp: WAIT, slot: WAIT };

/** The application as in production, on a real port and a real database. Only time is simulated. */
export class Petstore {
  private constructor(
    private running: NestExpressApplication | undefined,
    readonly clock: TestClock,
    readonly databaseUrl: string,
    private readonly drop: () => Promise<void>,
    /** Every line logged by the service. */
    readonly log: readonly Record<string, unknown>[],
  ) {}

  static async start({
    env = {},
    modules = [],
    override = [],
    through,
    isPatient = true,
  }: PetstoreOptions = {}): Promise<Petstore> {
    const variables = new Config({ PORT: '0', PUBLIC_URL: 'http://petstore.test', ...env });
    const config = inspectSettings([...AppModule.features, ...modules], variables).check();
    const database = await createTestDatabase();
    try {
      return await Petstore.startOn(database, config, { modules, override, through, isPatient });
    } catch (error) {
      await database.drop(); // also ends the connections of a service of which nobody has a handle
      throw error;
    }
  }

  private static async startOn(
    database: TestDatabase,
    config: Config,
    {
      modules,
      override,
      through,
      isPatient,
    }: Required<Omit<PetstoreOptions, 'env' | 'through'>> & Pick<PetstoreOptions, 'through'>,
  ): Promise<Petstore> {
    const { url } = (await through?.(database.url)) ?? database;
    const clock = new TestClock();
    const log: Record<string, unknown>[] = [];
    const destination = {
      write(line: string) {
        keepLog(line);
        log.push(JSON.parse(line) as Record<string, unknown>);
      },
    };
    const own = [
      { provide: Clock, useValue: clock },
      ...(isPatient ? [{ provide: TimeLimits, useValue: PATIENT }] : []),
      { provide: Logger, useValue: new Logger(config.read(LoggingConfig), destination) },
    ];
    const module = await [...own, ...override]
      .reduce(
        (builder, { provide, useValue }) => builder.overrideProvider(provide).useValue(useValue),
        Test.createTestingModule({
          imports: [
            AppModule.forRoot({
              service: SERVICE,
              config,
              databaseUrl: url,
              features: [...AppModule.features, ...modules],
            }),
          ],
        }),
      )
      .compile();
    const app = module.createNestApplication<NestExpressApplication>(newAdapter(config), {
      bodyParser: false,
      bufferLogs: true,
    });
    app.useLogger(app.get(Logger));
    try {
      await setupApp(app).listen(0, '127.0.0.1');
      // As start.ts does. Without other modules it is the same in all suites, and made where one asks for it.
      if (modules.length > 0) app.get(OpenApiDocument).make();
    } catch (error) {
      await app.close(); // some of its modules may have started
      throw error;
    }
    return new Petstore(app, clock, database.url, () => database.drop(), log);
  }

  get app(): NestExpressApplication {
    if (!this.running) throw new Error('The service has been stopped');
    return this.running;
  }

  async stop(): Promise<void> {
    const server = this.app.getHttpServer();
    await this.app.close();
    // The variables of a suite, including clients of this server, live as long as the worker.
    server.removeAllListeners();
    this.running = undefined;
    await this.drop();
  }

  /** Creates a key, by default with all scopes, and returns its secret. */
  async key(
    plan: Plan = 'enterprise',
    limits: Limits | undefined = plan === 'enterprise' ? ENTERPRISE : undefined,
    scopes?: readonly Scope[],
  ): Promise<string> {
    const name = `test ${plan}`;
    const { secret } = await this.app.get(ApiKeysService).create({ name, plan, limits, scopes });
    rememberKey(secret);
    return secret;
  }

  query<Row>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return this.app.get(DataSource).query(sql, values);
  }

  /** A client that sends the given key, if any, with each request. */
  client(key?: string) {
    const agent = request.agent(this.app.getHttpServer());
    return key === undefined ? agent : agent.set('Authorization', `Bearer ${key}`);
  }
}
