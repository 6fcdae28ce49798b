// testing/ is what tests of a service import: the service with a clock that they move, and suites that hold for every service.

import type { InjectionToken, Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import request, { type Response, type Test as TestRequest } from 'supertest';
import { DataSource } from 'typeorm';
import { ApiKeysService } from '../../access/keys/api-keys.service.js';
import type { Scope } from '../../access/keys/scopes.js';
import { isCustom, type Limits, type Plan, planNames } from '../../access/plans/plans.js';
import { Clock } from '../../kernel/clock/clock.js';
import { minutes } from '../../kernel/clock/duration.js';
import { TimeLimits } from '../../kernel/clock/time-limits.js';
import { Config } from '../../kernel/config/config.js';
import { Logger } from '../../observe/logging/logger.js';
import { LoggingConfig } from '../../observe/logging/logging.config.js';
import { inspectSettings } from '../bootstrap/application.js';
import { newAdapter, setupApp } from '../bootstrap/create-app.js';
import type { ServiceDefinition } from '../bootstrap/service-definition.js';
import { OpenApiDocument } from '../openapi/document/openapi-document.js';
import { TestClock } from './test-clock.js';
import type { TestDatabase } from './test-server.js';

export interface TestOptions {
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

/** Where a run of tests keeps what the service logs, and the keys that it has made. */
export interface TestRun {
  readonly database: () => Promise<TestDatabase>;
  readonly keepLog?: (line: string) => void;
  readonly keepKey?: (secret: string) => void;
}

interface Running {
  readonly app: NestExpressApplication;
  readonly clock: TestClock;
  readonly database: TestDatabase;
  readonly log: readonly Record<string, unknown>[];
  readonly run: TestRun;
}

/** Limits of keys whose plan has none of its own. */
const CUSTOM: Limits = { perMinute: 1_000_000, perDay: 10_000_000 };

const WAIT = minutes(2);

/** On a busy machine PostgreSQL may take longer than the service waits, which says nothing about what a test asserts. */
const PATIENT: TimeLimits = { connection: WAIT, query: WAIT, keyLookUp: WAIT, slot: WAIT };

/** The application as in production, on a real port and a real database. Only time is simulated. */
export class TestService {
  readonly clock: TestClock;
  readonly databaseUrl: string;
  /** Every line logged by the service. */
  readonly log: readonly Record<string, unknown>[];
  private running: NestExpressApplication | undefined;
  private readonly run: TestRun;
  private readonly drop: () => Promise<void>;

  constructor({ app, clock, database, log, run }: Running) {
    this.running = app;
    this.clock = clock;
    this.databaseUrl = database.url;
    this.log = log;
    this.run = run;
    this.drop = () => database.drop();
  }

  protected static async open<T extends TestService>(
    this: new (running: Running) => T,
    service: ServiceDefinition,
    run: TestRun,
    { env = {}, modules = [], override = [], through, isPatient = true }: TestOptions = {},
  ): Promise<T> {
    const module = await service.load();
    const features = [...module.features, ...modules];
    const variables = new Config({ PORT: '0', PUBLIC_URL: `http://${service.prefix}.test`, ...env });
    const config = inspectSettings(features, variables).check();
    const database = await run.database();
    try {
      const { url } = (await through?.(database.url)) ?? database;
      const root = module.forRoot({ service, config, databaseUrl: url, features });
      const clock = new TestClock();
      const log: Record<string, unknown>[] = [];
      const destination = {
        write(line: string) {
          run.keepLog?.(line);
          log.push(JSON.parse(line) as Record<string, unknown>);
        },
      };
      const own = [
        { provide: Clock, useValue: clock },
        ...(isPatient ? [{ provide: TimeLimits, useValue: PATIENT }] : []),
        { provide: Logger, useValue: new Logger(config.read(LoggingConfig), destination) },
      ];
      const compiled = await [...own, ...override]
        .reduce(
          (builder, { provide, useValue }) => builder.overrideProvider(provide).useValue(useValue),
          Test.createTestingModule({ imports: [root] }),
        )
        .compile();
      const app = compiled.createNestApplication<NestExpressApplication>(newAdapter(config), {
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
      return new this({ app, clock, database, log, run });
    } catch (error) {
      await database.drop(); // also ends the connections of a service of which nobody has a handle
      throw error;
    }
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

  /**
   * Creates a key, by default of the last plan and with all scopes, and returns its secret.
   * @param limits of a custom plan, which are high by default
   */
  async key(
    plan: Plan | undefined = planNames().at(-1),
    limits: Limits | undefined = plan !== undefined && isCustom(plan) ? CUSTOM : undefined,
    scopes?: readonly Scope[],
  ): Promise<string> {
    if (plan === undefined) throw new Error('The service has no plans.');
    const name = `test ${plan}`;
    const { secret } = await this.app.get(ApiKeysService).create({ name, plan, limits, scopes });
    this.run.keepKey?.(secret);
    return secret;
  }

  query<Row>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return this.app.get(DataSource).query(sql, values);
  }

  /** A client that sends the given key, if any, with each request. */
  client(key?: string) {
    const agent = request.agent(this.app.getHttpServer()).use(showErrorBody);
    return key === undefined ? agent : agent.set('Authorization', `Bearer ${key}`);
  }
}

/** A plugin of superagent: a failed `.expect()` shows the body of an error, which has its reason. */
export function showErrorBody(test: TestRequest): void {
  const end = test.end.bind(test);
  test.end = (done) =>
    end((error: Error | null, response?: Response) => {
      if (error && response?.error && response.text) {
        const message = `${error.message}\n${response.text}`;
        const stack = error.stack?.replace(error.message, () => message);
        for (const [name, value] of Object.entries({ message, stack }))
          Object.defineProperty(error, name, { value, configurable: true, writable: true });
      }
      done?.call(test, error, response as Response);
    });
}
