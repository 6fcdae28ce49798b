import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { markdownPages, readText } from '../support/repository.js';

/** The anchors that a page offers: those of its headings, as GitHub derives them, and its own. */
function anchors(page: string): string[] {
  const text = readText(page).replaceAll(/^ *```[^]*?^ *```$/gm, '');
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)];
}

const links = markdownPages().flatMap((page) =>
  [...readText(page).matchAll(/\]\(((?!https?:)[^)\s]+)\)/g)].map(([, link = '']) => ({ page, link })),
);

describe('the documentation', () => {
  it.each(links)('has no broken link: $page, $link', ({ page, link }) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : join(dirname(page), path);
    expect(existsSync(target)).toBe(true);
    if (anchor !== undefined && target.endsWith('.md')) expect(anchors(target)).toContain(anchor);
  });

  // Alert rules of 1.1, installed at an operator's, link to the page that had the incidents.
  it('leads from operating.md, where alerts of 1.1 link to, to the incidents', () => {
    const [, beginning = ''] = readText('docs/operating.md').split('\n\n');
    expect(beginning).toMatch(/alert.*\]\(incidents\.md\)/);
  });

  it('keeps the README within three screens', () => {
    expect(readText('README.md').split('\n').length).toBeLessThan(120);
  });
});
