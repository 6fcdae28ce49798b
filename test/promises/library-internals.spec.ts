import { allFilesIn, readText } from '../support/repository.js';

/**
 * Parts of these packages that are not documented are used in the files named. Before a newer version is entered here:
 * read what it changes in them, and run the whole suite with and without `FAST_PATHS=off`.
 */
const READ = [
  ['@nestjs/common', '12.5.1', 'constants.js, enums/route-paramtypes.enum.js'],
  [
    '@nestjs/core',
    '12.5.1',
    'exceptions/exceptions-handler.js, router/router-execution-context.js, interceptors/',
  ],
  ['@nestjs/platform-express', '12.5.1', 'multer/files.constants.js'],
  ['@nestjs/swagger', '12.0.2', 'constants.js'],
  ['class-transformer', '0.5.1', 'cjs/storage.js, cjs/TransformOperationExecutor.js'],
  ['class-validator', '0.15.1', 'cjs/metadata/MetadataStorage.js'],
  ['express', '5.3.0', "lib/application.js, and router's index.js and lib/layer.js"],
  ['pg', '8.23.1', 'lib/query.js, lib/client.js, lib/utils.js'],
  ['typeorm', '1.1.1', 'driver/postgres/PostgresQueryRunner.js, metadata/EntityMetadata.js, persistence/'],
] as const;

/** Those whose paths below the package are the documented way in. */
const DOCUMENTED = ['ipaddr.js'];

interface Manifest {
  readonly version: string;
  readonly dependencies: Record<string, string>;
}

const manifest = (file: string) => JSON.parse(readText(file)) as Manifest;

describe.each(READ)('the internals of %s', (name, version) => {
  it(`are those of ${version}, which were read`, () => {
    expect(manifest('package.json').dependencies[name]).toBe(version);
    expect(manifest(`node_modules/${name}/package.json`).version).toBe(version);
  });
});

describe('the source', () => {
  it('uses the internals of no other package', () => {
    const imports = allFilesIn('src')
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [...readText(`src/${file}`).matchAll(/ from '([^.#][^']*\.c?js)'/g)])
      .map(([, path = '']) => path.split('/', path.startsWith('@') ? 2 : 1).join('/'));
    const known = [...READ.map(([name]): string => name), ...DOCUMENTED];
    expect(imports.filter((name) => !known.includes(name))).toEqual([]);
  });
});
