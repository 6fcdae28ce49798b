import { readText } from '../support/repository.js';

const exported = [...readText('src/platform/index.ts').matchAll(/^export (?:type )?\{([^}]+)\}/gm)].flatMap(
  ([, names = '']) =>
    names
      .split(',')
      .map((name) => name.trim().replace(/^type /, ''))
      .filter((name) => name !== ''),
);

/** The names in the first column of the page's tables. */
const listed = [...readText('docs/platform.md').matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = '']) =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => /\w+/.exec(name)?.[0] ?? ''),
);

describe('docs/platform.md', () => {
  it('lists what src/platform/index.ts exports, each once, and nothing else', () => {
    expect(exported.length).toBeGreaterThan(50);
    expect(listed.toSorted()).toEqual(exported.toSorted());
  });
});
