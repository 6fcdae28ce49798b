import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CATALOG } from '../../src/app.errors.js';
import { completeCatalog } from '../../src/openapi/error-catalog/catalog.js';
import { errorsPage } from '../../src/openapi/error-catalog/markdown.js';
import { ERROR_PAGE, UPDATING } from '../support/error-page.js';
import { readText } from '../support/repository.js';

const root = join(import.meta.dirname, '../..');

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /(?<!\.spec)\.ts$/.test(file))
  .map((file) => ({ file, text: readText(`src/${file}`) }));

/** The codes of the errors that a file defines or sends. */
const codesIn = (text: string): string[] =>
  [
    ...text.matchAll(/(?:super|new DomainError)\(\s*'[a-z_]+',\s*'([a-z_]+)'/g),
    ...text.matchAll(/\bcode: '([a-z]+_[a-z_]+)'/g),
  ].map(([, code = '']) => code);

const listed = ERROR_CATALOG.map(({ example }) => example.code);

describe('the error catalogue', () => {
  it.each(sources.filter(({ text }) => codesIn(text).length > 0))(
    'has the codes of src/$file',
    ({ text }) => {
      expect(listed).toEqual(expect.arrayContaining(codesIn(text)));
    },
  );

  it.each(sources.filter(({ text }) => text.includes('extends DomainError')))(
    'finds the code of every error class in src/$file',
    ({ text }) => {
      const classes = text.match(/extends DomainError/g) ?? [];
      expect(codesIn(text).length).toBeGreaterThanOrEqual(classes.length);
    },
  );

  it('has no code twice, and none that the service does not send', () => {
    const sent = sources.filter(({ file }) => file !== 'app.errors.ts').flatMap(({ text }) => codesIn(text));
    expect(listed.filter((code, index) => listed.indexOf(code) !== index)).toEqual([]);
    expect(listed.filter((code) => !sent.includes(code))).toEqual([]);
  });

  it(`is docs/errors.md; npm run docs:errors writes that anew`, () => {
    const page = errorsPage(completeCatalog(ERROR_CATALOG, []));
    if (UPDATING) writeFileSync(ERROR_PAGE, page);
    expect(readText('docs/errors.md')).toBe(page);
  });
});
