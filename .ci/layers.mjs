/**
 * The groups of src/platform/ and the folders in each, from top to bottom. A file imports its own group and the groups below it.
 * `npm run lint` enforces this order, and docs/architecture.md says what each folder promises.
 */
export const GROUPS = {
  program: ['testing', 'cli', 'bootstrap', 'migrations', 'openapi'],
  feed: ['webhooks', 'events'],
  access: ['own-key', 'rate-limit', 'auth', 'keys', 'plans'],
  writes: ['unit-of-work', 'idempotency'],
  observe: ['health', 'metrics', 'logging', 'tracing'],
  http: ['deprecation', 'pagination', 'conditional', 'validation', 'core'],
  data: ['statements', 'database', 'embedded-postgres'],
  kernel: ['concurrency', 'errors', 'terminal', 'json', 'clock', 'cache', 'naming', 'config'],
};

const groups = Object.keys(GROUPS);
const PUBLIC_API = '^src/platform/index\\.ts$';
/** A feature is a folder in src/, or in src/features/, where 1.3 put those of another service. */
const FEATURE = '(?:features/)?(?!platform/|features/)[^/.]+/';

const order = groups.slice(1).map((name, i) => ({
  name: `${name}-imports-no-group-above-it`,
  severity: 'error',
  from: { path: `^src/platform/${name}/` },
  to: { path: `^src/platform/(${groups.slice(0, i + 1).join('|')})/` },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'the-platform-stands-alone',
      comment: 'main.ts and cli.ts hand it the application, its settings and its migrations',
      severity: 'error',
      from: { path: '^src/platform/' },
      to: { path: '^(src|migrations|test)/', pathNot: '^src/platform/' },
    },
    {
      name: 'a-feature-imports-the-public-api-and-the-public-files-of-other-features',
      comment:
        'the module, a service, a guard, a decorator, errors, an entity, a query, a response, events, or what writes them',
      severity: 'error',
      from: { path: `^src/(${FEATURE})` },
      to: {
        path: '^src/',
        pathNot: [
          '^src/$1',
          PUBLIC_API,
          `^src/${FEATURE}.*\\.(module|service|guard|decorator|errors|events|entity|query|response)\\.ts$`,
          `^src/${FEATURE}.*-changes\\.ts$`,
        ],
      },
    },
    {
      name: 'no-cycle-between-files',
      comment: 'two entities of one relation import one another, as TypeORM has it',
      severity: 'error',
      from: { pathNot: '\\.entity\\.ts$' },
      to: { circular: true },
    },
    {
      name: 'no-cycle-between-folders',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/' },
      to: { circular: true, viaOnly: { pathNot: '^src$' } },
    },
    {
      name: 'the-public-api-is-for-features',
      severity: 'error',
      from: { path: '^src/platform/' },
      to: { path: PUBLIC_API },
    },
    ...order,
    {
      name: 'embedded-postgres-stands-alone',
      comment:
        'the launcher of PostgreSQL knows nothing of the service but its name, and how to read the code of an error',
      severity: 'error',
      from: { path: '^src/platform/data/embedded-postgres/' },
      to: {
        path: '^src/',
        pathNot: [
          '^src/platform/data/embedded-postgres/',
          '^src/platform/kernel/(errors/error-code|config/service|config/startup-error)\\.ts$',
        ],
      },
    },
    {
      name: 'nothing-imports-a-test',
      severity: 'error',
      from: { pathNot: '[.-]spec\\.ts$' },
      to: { path: '^test/' },
    },
  ],
  options: {
    includeOnly: '^(src|migrations|test|clients/typescript/src)/',
    exclude: '[.-]spec\\.ts$',
    doNotFollow: { path: '^(test|node_modules)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.mjs'] },
  },
};
