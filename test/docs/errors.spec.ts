import { HttpStatus } from '@nestjs/common';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CatalogEntry } from '../../src/platform/program/openapi/error-catalog/error-catalog.js';
import { ErrorCatalog } from '../../src/platform/program/openapi/error-catalog/error-catalog.js';
import { ERROR_PAGE, errorsPage } from '../support/error-page.js';
import { Petstore } from '../support/petstore.js';
import { readText } from '../support/repository.js';
import { UPDATING } from '../support/updating-pages.js';

const root = join(import.meta.dirname, '../..');

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /(?<!\.spec)\.ts$/.test(file))
  .map((file) => ({ file, text: readText(`src/${file}`) }));

/** A module may throw the exceptions of Nest: their codes are the names of their statuses. */
const isStatusName = (code: string): boolean => code.toUpperCase() in HttpStatus;

/** The codes of the errors that a file defines or sends. */
const codesIn = (text: string): string[] =>
  [
    ...text.matchAll(/(?:super|new DomainError)\(\s*'[a-z_]+',\s*'([a-z_]+)'/g),
    ...text.matchAll(/\bcode: '([a-z]+_[a-z_]+)'/g),
  ].map(([, code = '']) => code);

let entries: readonly CatalogEntry[];
let listed: readonly string[];

beforeAll(async () => {
  const petstore = await Petstore.start();
  ({ entries } = petstore.app.get(ErrorCatalog));
  await petstore.stop();
  listed = entries.map(({ example }) => example.code);
});

const TITLE = 'The error codes of the service. Written by `npm run openapi:snapshot`.';
const lines = (codes: readonly string[], quote: string) =>
  codes.map((code) => `${quote}${code}${quote},\n`).join('');

/** The codes in each client. */
const CLIENT_CODES: [file: string, render: (codes: readonly string[]) => string][] = [
  [
    'clients/typescript/src/error-codes.ts',
    (codes) =>
      `/** ${TITLE} */\nexport const ERROR_CODES = [\n${lines(codes, "'").replace(/^/gm, '  ').trimEnd()}\n] as const;\n`,
  ],
  [
    'clients/python/src/petstore/error_codes.py',
    (codes) =>
      `"""${TITLE}"""\n\nfrom typing import Literal\n\nErrorCode = Literal[\n${lines(codes, '"').replace(/^/gm, '    ').trimEnd()}\n]\n`,
  ],
];

describe('the error catalogue', () => {
  it.each(sources.filter(({ text }) => codesIn(text).length > 0))(
    'has the codes of src/$file, which a handler names with @ApiErrors()',
    ({ text }) => {
      // A service may have no operation that takes a file, which Nest refuses with a plain 400, and none that is deprecated.
      expect([...listed, 'bad_request', 'endpoint_removed']).toEqual(expect.arrayContaining(codesIn(text)));
    },
  );

  it('has no code twice, and none that the service does not send', () => {
    const sent = sources.flatMap(({ text }) => codesIn(text));
    expect(listed.filter((code, index) => listed.indexOf(code) !== index)).toEqual([]);
    expect(listed.filter((code) => !sent.includes(code))).toEqual([]);
  });

  it('lists every refusal of the platform, none of whose files throws an exception of Nest', () => {
    const own = sources.filter(({ file }) => file.startsWith('platform/'));
    expect(own.filter(({ text }) => /new \w+Exception\(/.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it('lists every code in the OpenAPI document', () => {
    const document = readText('docs/openapi.yaml');
    const examples = [...document.matchAll(/^ +value:\n +code: ([a-z_]+)$/gm)].map(([, code]) => code);
    expect(examples).not.toEqual([]);
    expect(examples.filter((code = '') => !listed.includes(code) && !isStatusName(code))).toEqual([]);
  });

  for (const [file, render] of CLIENT_CODES.filter(([file]) => existsSync(join(root, file))))
    it(`is ${file}; npm run openapi:snapshot updates it`, () => {
      const text = render(listed);
      if (UPDATING) writeFileSync(join(root, file), text);
      expect(readText(file)).toBe(text);
    });

  it(`is docs/errors.md; npm run openapi:snapshot updates it`, () => {
    const page = errorsPage(entries);
    if (UPDATING) writeFileSync(ERROR_PAGE, page);
    expect(readText('docs/errors.md')).toBe(page);
  });
});
