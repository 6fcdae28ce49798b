import ts from 'typescript';
import { allFilesIn, readText } from '../support/repository.js';

/**
 * The places that use undocumented parts of a library. Before you enter a newer version here, read its changes to these
 * parts, and run the whole suite.
 */
const PLACES: Readonly<Record<string, readonly [version: string, why: string]>> = {
  '@nestjs/common/internal.js': ['12.5.1', 'the handlers of a controller'],
  'BigInt.prototype': ['', 'int64 in what Nest serialises itself'],
  'app.router.stack': ['5.3.0', 'the methods of a path, for 405'],
};
/** The packages of those places above that are not imports. */
const PACKAGES: Readonly<Record<string, string>> = {
  'app.router.stack': 'express',
};

interface Use {
  readonly package: string;
  readonly version: string;
  /** The promise that needs it. */
  readonly why: string;
  readonly pattern: RegExp;
  readonly files: readonly string[];
}

/** Properties, events and messages that a library does not document, by what they look like. No other file has them. */
const USES: readonly Use[] = [
  {
    package: 'pg',
    version: '8.23.1',
    why: 'a failover, an open transaction at the end of a request, and the limit of a query are noticed',
    pattern: /this\.connection\.|'Query read timeout'/,
    files: ['src/platform/database/pool/service-client.ts'],
  },
  {
    package: 'pg',
    version: '8.23.1',
    why: 'a lost connection is 503: the driver gives it a message only',
    pattern: /Connection terminated/,
    files: ['src/platform/database/database-unavailable.ts'],
  },
  {
    package: 'typeorm',
    version: '1.1.1',
    why: 'metrics of the pool, and readiness',
    pattern: /as PostgresDriver\)\.master/,
    files: ['src/platform/database/pool/service-pool.ts'],
  },
  {
    package: 'typeorm',
    version: '1.1.1',
    why: 'findById, keysetPage and Changes prepare statements from the metadata of an entity',
    pattern: /\b(EntityMetadata|ColumnMetadata)\b/,
    files: ['src/platform/database/covered-entity.ts', 'src/platform/database/entity-statements.ts'],
  },
  {
    package: '@nestjs/core',
    version: '12.5.1',
    why: 'a 404 of Nest is route_not_found',
    pattern: /`Cannot \$\{method\}/,
    files: ['src/platform/errors/error.filter.ts'],
  },
];

/** Documented access: a path below a package. */
const DOCUMENTED = ['ipaddr.js'];
/** Properties of an object that this project created. */
const OWN = ['document.info.contact'];

const packageOf = (place: string): string =>
  PACKAGES[place] ?? place.split('/', place.startsWith('@') ? 2 : 1).join('/');

const sources = ['src'].flatMap((folder) =>
  allFilesIn(folder)
    .filter((file) => /(?<!\.spec|\.d)\.ts$/.test(file))
    .map((file) => `${folder}/${file}`),
);

/** Finds deep imports of values, assignments to a prototype or inside another object, and casts to private members. */
function placesIn(file: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      const { text } = node.moduleSpecifier;
      const isDeep = /^(?:@[^/]+\/)?[^./#@][^/]*\/.*\.c?js$/.test(text);
      if (isDeep && hasValues(node.importClause)) found.push(text);
    }
    if (
      ts.isCallExpression(node) &&
      /^(?:Object|Reflect)\.define|^Object\.assign/.test(node.expression.getText())
    ) {
      const target = node.arguments[0]?.getText() ?? '';
      if (/^\w+\.prototype$/.test(target)) found.push(target);
    }
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken) {
      const target = /^(\w+\.prototype)\./.exec(node.left.getText());
      if (target?.[1] !== undefined) found.push(target[1]);
      else if (/^(?!this\b)\w+\.\w+\.\w+$/.test(node.left.getText())) found.push(node.left.getText());
    }
    if (ts.isAsExpression(node) && ts.isTypeLiteralNode(node.type) && ts.isAsExpression(node.expression)) {
      const object = node.expression.expression.getText();
      for (const { name } of node.type.members) found.push(`${object}.${name?.getText()}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readText(file), ts.ScriptTarget.Latest, true));
  return found;
}

/** Imports of types only disappear from the compiled program. */
function hasValues(clause: ts.ImportClause | undefined): boolean {
  if (!clause || clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return false;
  const { name, namedBindings } = clause;
  if (name || !namedBindings || ts.isNamespaceImport(namedBindings)) return true;
  return namedBindings.elements.some(({ isTypeOnly }) => !isTypeOnly);
}

interface Manifest {
  readonly version: string;
  readonly dependencies: Record<string, string>;
}
const manifest = (file: string) => JSON.parse(readText(file)) as Manifest;

describe.each(Object.entries(PLACES).filter(([, [version]]) => version !== ''))('%s', (place, [version]) => {
  it(`is that of ${version}, which was read`, () => {
    expect(manifest('package.json').dependencies[packageOf(place)]).toBe(version);
    expect(manifest(`node_modules/${packageOf(place)}/package.json`).version).toBe(version);
  });
});

describe.each(USES)('$package, because $why', ({ package: name, version, pattern, files }) => {
  it(`is that of ${version}, and is used in ${files.length} files`, () => {
    expect(manifest(`node_modules/${name}/package.json`).version).toBe(version);
    expect(sources.filter((file) => pattern.test(readText(file)))).toEqual([...files].sort());
  });
});

describe('the source', () => {
  it('uses library internals only in the listed places', () => {
    const found = new Set(
      sources.flatMap(placesIn).filter((place) => ![...DOCUMENTED, ...OWN].includes(packageOf(place))),
    );
    expect([...found].sort()).toEqual(Object.keys(PLACES).sort());
  });
});
