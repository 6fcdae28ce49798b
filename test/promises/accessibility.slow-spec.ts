import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser.js';
import { Petstore } from '../support/petstore.js';

interface Finding {
  readonly impact: string;
  readonly id: string;
  readonly html: string;
}

/** Runs in the page, where axe-core is. */
const FIND = `axe.run().then(({ violations }) => violations.flatMap(({ id, impact, nodes }) =>
  nodes.map(({ html }) => ({ id, impact, html: html.slice(0, 200) }))))`;

/** What is there once the page has been made. */
const PAGES = {
  '/docs': '.opblock',
  '/docs/errors': 'section',
  '/reference': '.api-content h5',
};

describeInBrowser('accessibility of the pages', 'axe-core', (launch) => {
  let petstore: Petstore;
  let browser: Browser;
  beforeAll(async () => {
    petstore = await Petstore.start();
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
    await petstore.stop();
  });

  async function seriousFindings(page: Page): Promise<Finding[]> {
    const findings = await page.evaluate<Finding[]>(`${axe.source}; ${FIND}`);
    return findings.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  }

  it('is run for /, which leads a browser to /docs', async () => {
    const page = await browser.newPage();
    await page.goto(`${await petstore.app.getUrl()}/`);
    expect(new URL(page.url()).pathname).toBe('/docs');
    await page.close();
  });

  describe.each(Object.entries(PAGES))('on %s', (path, made) => {
    it.each([
      ['light', 1280],
      ['dark', 1280],
      ['light', 390],
      ['dark', 390],
    ] as const)('finds nothing serious: %s, %d pixels wide', async (colorScheme, width) => {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 844 } });
      const page = await context.newPage();
      await page.goto(`${await petstore.app.getUrl()}${path}`);
      await page.locator(made).first().waitFor({ state: 'attached' });
      if (made === '.opblock') {
        await page.locator('[id$="-createPet"].opblock .opblock-summary-control').click();
        await page.locator('.responses-inner').waitFor();
      }
      expect(await seriousFindings(page)).toEqual([]);
      await context.close();
    });
  });
});
