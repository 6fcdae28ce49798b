/**
 * The floors of the house, from top to bottom. A file may import its own floor and the floors below it. This list is the
 * only place that states the order; `npm run lint` enforces it and `npm run docs:floors` draws it.
 */
export const FLOORS = [
  { name: 'programs', path: '^src/(main|cli)\\.ts$' },
  { name: 'bootstrap', path: '^src/bootstrap/' },
  { name: 'application', path: '^src/app\\.[a-z]+\\.ts$' },
  {
    name: 'features',
    path: '^src/(?!(cli|bootstrap|deprecation|openapi|rate-limit|auth|idempotency|observability|http|database|kernel|events)/)[^/]+/',
  },
  { name: 'platform API', path: '^src/platform\\.ts$' },
  { name: 'events', path: '^src/events/' },
  { name: 'deprecation and document', path: '^src/(deprecation|openapi(?!/decorators))/' },
  { name: 'command line', path: '^src/cli/' },
  { name: 'settings', path: '^src/settings\\.ts$' },
  { name: 'rate limit', path: '^src/rate-limit/' },
  { name: 'keys, idempotency and observability', path: '^src/(auth|idempotency|observability)/' },
  { name: 'document decorators', path: '^src/openapi/decorators/' },
  { name: 'http and database', path: '^src/(http|database)/' },
  { name: 'kernel', path: '^src/kernel/' },
];

const features = FLOORS.find(({ name }) => name === 'features').path;

const upwards = FLOORS.slice(1).map(({ name, path }, above) => ({
  name: `no-import-upwards-from-${name.replaceAll(' ', '-')}`,
  comment: `${name} may import its own floor and what is below it`,
  severity: 'error',
  from: { path },
  to: { path: FLOORS.slice(0, above + 1).map((floor) => floor.path) },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...upwards,
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
      from: { pathNot: '^src$' }, // its files are of several floors
      to: { circular: true, viaOnly: { pathNot: '^src$' } },
    },
    {
      name: 'features-use-the-module-and-service-of-another-feature-only',
      comment:
        'the module file, a service, a response, an error, the types of event or what writes them; the rest of it is internal',
      severity: 'error',
      from: { path: `(${features})` },
      to: {
        path: features,
        pathNot: [
          '^$1',
          '\\.(module|service|errors|entity)\\.ts$',
          '/(event-type|changes)\\.ts$',
          '\\.response\\.ts$',
        ],
      },
    },
    {
      name: 'features-use-the-platform-api',
      comment: 'src/platform.ts is all that they import from outside their folders, beside other features',
      severity: 'error',
      from: { path: features, pathNot: '^src/(key|webhooks)/' }, // these are parts of the platform
      to: { path: '^src/', pathNot: [features, '^src/platform\\.ts$'] },
    },
    {
      name: 'embedded-postgres-stands-alone',
      comment: 'the launcher of PostgreSQL knows nothing of the service',
      severity: 'error',
      from: { path: '^embedded-postgres/' },
      to: { path: '^src/' },
    },
    {
      name: 'the-service-opens-embedded-postgres-in-one-place',
      comment: 'open-database opens it, and `petstore doctor` inspects its folder',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(database/open-database|cli/doctor/data-folder\\.check)\\.ts$' },
      to: { path: '^embedded-postgres/' },
    },
    {
      name: 'nothing-imports-a-test',
      severity: 'error',
      from: { pathNot: '\\.spec\\.ts$' },
      to: { path: '^test/' },
    },
  ],
  options: {
    includeOnly: '^(src|test|embedded-postgres)/',
    exclude: '\\.spec\\.ts$',
    doNotFollow: { path: '^(test|node_modules)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.mjs'] },
  },
};
