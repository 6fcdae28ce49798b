import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { filesIn, readText } from '../support/repository.js';

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  '.github/SECURITY.md',
  ...filesIn('docs')
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
];

/** The anchors that a page offers, as GitHub derives them from its headings. */
function anchors(page: string): string[] {
  return [...readText(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

const links = pages.flatMap((page) =>
  [...readText(page).matchAll(/\]\(((?!https?:)[^)\s]+)\)/g)].map(([, link = '']) => ({ page, link })),
);

describe('the documentation', () => {
  it.each(links)('has no broken link: $page, $link', ({ page, link }) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : join(dirname(page), path);
    expect(existsSync(target)).toBe(true);
    if (anchor !== undefined && target.endsWith('.md')) expect(anchors(target)).toContain(anchor);
  });

  it('keeps the README within three screens', () => {
    expect(readText('README.md').split('\n').length).toBeLessThan(120);
  });
});
