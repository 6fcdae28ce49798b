/**
 * The order of the folders in src/platform/, from top to bottom. A file imports its own folder and the folders below it.
 * `npm run lint` enforces this order, and docs/architecture.md says what each folder promises.
 */
export const LAYERS = [
  ['cli', 'bootstrap'],
  ['openapi'],
  ['webhooks'],
  ['events'],
  ['own-key'],
  ['rate-limit'],
  ['auth'],
  ['keys'],
  ['unit-of-work'],
  ['idempotency'],
  ['health', 'metrics', 'logging', 'tracing'],
  ['deprecation', 'pagination', 'conditional', 'validation'],
  ['statements'],
  ['database'],
  ['http'],
  ['concurrency', 'embedded-postgres'],
  ['errors'],
  ['terminal'],
  ['json'],
  ['clock', 'cache', 'plans', 'naming'],
  ['config'],
];

const platform = LAYERS.flat();
const folders = (names) => `^src/platform/(${names.join('|')})/`;
const PUBLIC_API = '^src/platform/index\\.ts$';

const order = platform.slice(1).map((name, i) => ({
  name: `${name}-imports-nothing-above-it`,
  severity: 'error',
  from: { path: folders([name]) },
  to: { path: folders(platform.slice(0, i + 1)) },
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
      from: { path: '^src/(features|shop)/([^/]+)/' },
      to: {
        path: '^src/',
        pathNot: [
          '^src/$1/$2/',
          PUBLIC_API,
          '^src/(features|shop)/.*\\.(module|service|guard|decorator|errors|events|entity|query|response)\\.ts$',
          '^src/(features|shop)/.*-changes\\.ts$',
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
      comment: 'the launcher of PostgreSQL knows nothing of the service but how to read the code of an error',
      severity: 'error',
      from: { path: '^src/platform/embedded-postgres/' },
      to: {
        path: '^src/',
        pathNot: ['^src/platform/embedded-postgres/', '^src/platform/errors/error-code\\.ts$'],
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
