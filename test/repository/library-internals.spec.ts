import { allFilesIn, readText } from '../support/repository.js';

/** Node.js, of which CI runs two versions; a newer one need not be entered here. */
const NODE = { package: 'Node.js', version: '20 and newer' };

interface Use {
  readonly package: string;
  readonly version: string;
  /** The promise that needs it. */
  readonly why: string;
  readonly pattern: RegExp;
  readonly files: readonly string[];
}

/**
 * The places that use undocumented parts of a library, by what they look like. Before you enter a newer version here,
 * read its changes to these parts, and run the whole suite.
 */
const USES: readonly Use[] = [
  {
    package: 'class-transformer',
    version: '0.5.1',
    why: 'integers are exact in subtypes, and a repeated parameter is known by the name in a request',
    pattern: /'class-transformer\/cjs\/storage\.js'/,
    files: ['src/platform/http/validation/dto-facts.ts'],
  },
  {
    package: 'class-validator',
    version: '0.15.1',
    why: 'it remembers the rules of a class, and a rule that is added makes it look again',
    pattern: /addValidationMetadata/,
    files: ['src/platform/http/validation/remember-rules.ts'],
  },
  {
    package: '@nestjs/common',
    version: '12.5.1',
    why: 'what is checked at the start, Accept-Patch and the fingerprint need the handlers of a controller and their parameters',
    pattern: /'@nestjs\/common\/internal\.js'/,
    files: ['src/platform/http/core/nest-metadata.ts'],
  },
  {
    package: 'express',
    version: '5.3.0',
    why: 'a 405 names the methods of its path',
    pattern: /app\.router as unknown/,
    files: ['src/platform/http/core/adapter/allowed-methods.ts'],
  },
  {
    package: 'pg',
    version: '8.23.1',
    why: 'a failover, an open transaction at the end of a request, and the limit of a query are noticed',
    pattern: /this\.connection\./,
    files: ['src/platform/data/database/pool/service-client.ts'],
  },
  {
    package: 'pg',
    version: '8.23.1',
    why: 'times are read in one form, whatever the database sets: the start-up packet asks for it',
    pattern: /getStartupConf/,
    files: ['src/platform/data/database/pool/postgres-client.ts'],
  },
  {
    package: 'pg',
    version: '8.23.1',
    why: 'arrays of times are read as strictly as times',
    pattern: /arrayParser as unknown/,
    files: ['src/platform/data/database/pool/values.ts'],
  },
  {
    package: 'pg',
    version: '8.23.1',
    why: 'a lost connection is 503: the driver gives it a message only',
    pattern: /Connection terminated/,
    files: ['src/platform/data/database/database-unavailable.ts'],
  },
  {
    package: 'typeorm',
    version: '1.1.1',
    why: 'metrics of the pool, and readiness',
    pattern: /as PostgresDriver\)\.master/,
    files: ['src/platform/data/database/pool/service-pool.ts'],
  },
  {
    package: 'typeorm',
    version: '1.1.1',
    why: 'findById, keysetPage and Changes prepare statements from the metadata of an entity',
    pattern: /\b(EntityMetadata|ColumnMetadata)\b/,
    files: [
      'src/platform/data/statements/covered-entity.ts',
      'src/platform/data/statements/entity-statements.ts',
      'src/platform/writes/unit-of-work/row-changes.ts',
    ],
  },
  {
    package: '@nestjs/core',
    version: '12.5.1',
    why: 'a 404 of Nest is route_not_found',
    pattern: /`Cannot \$\{method\}/,
    files: ['src/platform/kernel/errors/error.filter.ts'],
  },
  {
    package: '@nestjs/core',
    version: '12.5.1',
    why: 'what a filter throws is answered and logged with the error that it was given: a handler of exceptions calls the filters that it is set',
    pattern: /\bExceptionsHandler\b/,
    files: ['src/platform/program/bootstrap/patches.ts'],
  },
  {
    package: 'typeorm',
    version: '1.1.1',
    why: 'a connection lost between two statements is 503: it has a message only',
    pattern: /Query runner already released/,
    files: ['src/platform/data/database/database-unavailable.ts'],
  },
  {
    package: 'lossless-json',
    version: '4.3.3',
    why: 'invalid_json gives the line and column: the position is in the message only',
    pattern: / at position \(/,
    files: ['src/platform/kernel/json/parse-json.ts'],
  },
  {
    package: '@nestjs/swagger',
    version: '12.0.2',
    why: 'PatchType(), the body guard, the fingerprint, the document and tests of a service read the media types, query and extensions of a handler',
    pattern: /\bDECORATORS\./,
    files: [
      'src/platform/http/core/accepted-types.ts',
      'src/platform/writes/idempotency/request-target.ts',
      'src/platform/program/openapi/document/routes.ts',
      'src/platform/http/validation/patch-type.ts',
      'src/platform/program/testing/unvalidated.ts',
    ],
  },
  {
    package: 'typeorm',
    version: '1.1.1',
    why: 'a rolled back transaction takes no statement: a query runner asks its own connect() for each',
    pattern: /runner\.connect =/,
    files: ['src/platform/writes/idempotency/idempotent-transaction.ts'],
  },
  {
    package: '@nestjs/common',
    version: '12.5.1',
    why: 'a file with an error handler of its own is left to it: without one, errorHandler is a function of the same source',
    pattern: /String\(file\.errorHandler\)/,
    files: ['src/platform/http/core/adapter/json.adapter.ts'],
  },
  {
    package: 'body-parser',
    version: '2.4.0',
    why: 'a form is parsed from what has been read: the parser needs a stream with two headers',
    pattern: /Readable\.from\(\[bytes\]\)/,
    files: ['src/platform/http/core/body/body.guard.ts'],
  },
  {
    package: 'express',
    version: '5.3.0',
    why: 'a slot is free when its response begins: all are made with the prototype of the application',
    pattern: /defineProperty\(response, name/,
    files: ['src/platform/http/core/adapter/response-head.ts'],
  },
  {
    package: 'express',
    version: '5.3.0',
    why: 'a connection that may end is announced, whoever responds: all responses are made with the prototype of the application',
    pattern: /defineProperty\(response, 'writeHead'/,
    files: ['src/platform/http/core/adapter/response-head.ts'],
  },
  {
    ...NODE,
    why: 'who is still sending a refused body can read the response: after the last one, Node.js closes a connection by its destroySoon()',
    pattern: /\.destroySoon =/,
    files: ['src/platform/http/core/adapter/linger.ts'],
  },
  {
    ...NODE,
    why: 'a bigint is written digit for digit by others, too: JSON.stringify calls toJSON of a primitive',
    pattern: /BigInt\.prototype/,
    files: ['src/platform/program/bootstrap/patches.ts'],
  },
  {
    package: 'jest-circus',
    version: '30.5.2',
    why: 'the runner loads modules by Node.js, since its own loader cannot load Nest 12 on Node.js 20',
    pattern: /jest-circus|@jest\/fake-timers|jest-mock/,
    files: ['test/runner/environment.mjs', 'test/runner/suite.mjs'],
  },
];

const sources = ['src', 'test/runner']
  .flatMap((folder) => allFilesIn(folder).map((file) => `${folder}/${file}`))
  .filter((file) => /(?<!\.spec|\.d)\.m?[jt]s$/.test(file));

describe.each(USES)('$package, because $why', ({ package: name, version, pattern, files }) => {
  it(`is that of ${version}, and is used only in ${files.join(' and ')}`, () => {
    if (name !== NODE.package) expect(versionOf(name)).toBe(version);
    expect(sources.filter((file) => pattern.test(readText(file))).sort()).toEqual([...files].sort());
  });
});

const versionOf = (name: string): string =>
  (JSON.parse(readText(`node_modules/${name}/package.json`)) as { version: string }).version;

it('has no other import from inside a library', () => {
  // Ajv documents that file as its entry for JSON Schema 2020-12.
  const inside =
    /^(?!import type\b).*\bfrom '(?:@[^/']+\/[^/']+|(?!node:|ajv\/dist\/2020)[^@./'][^/']*)\/.+'/;
  const imports = sources.flatMap((file) =>
    readText(file)
      .split('\n')
      .filter((line) => inside.test(line)),
  );
  expect(imports.filter((line) => !USES.some(({ pattern }) => pattern.test(line)))).toEqual([]);
});
