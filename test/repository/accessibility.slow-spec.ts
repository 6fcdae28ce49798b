import axe from 'axe-core';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser.js';
import { Petstore } from '../support/petstore.js';

interface Finding {
  readonly impact: axe.ImpactValue | undefined;
  readonly id: string;
  readonly html: string;
}

/** The page, where axe-core is loaded. */
declare const window: { axe: typeof axe };

/** A selector that appears once the page has been rendered. */
const PAGES = {
  '/docs': '.opblock',
  '/docs/errors': 'section',
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

  /** @param part the whole page, or the part of it that has changed since it was checked */
  async function seriousFindings(page: Page, part: Locator = page.locator(':root')): Promise<Finding[]> {
    await page.evaluate(`if (!window.axe) { ${axe.source} }`);
    const findings = await part.evaluate(async (element): Promise<Finding[]> => {
      const { violations } = await window.axe.run(element, { resultTypes: ['violations'] });
      return violations.flatMap(({ id, impact, nodes }) =>
        nodes.map(({ html }) => ({ id, impact, html: html.slice(0, 200) })),
      );
    });
    return findings.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  }

  it('is checked for /, which redirects a browser to /docs', async () => {
    const page = await browser.newPage();
    await page.goto(`${await petstore.app.getUrl()}/`);
    expect(new URL(page.url()).pathname).toBe('/docs');
    await page.close();
  });

  /** Together they have all colours and both layouts. */
  const LOOKS = [
    ['light', 1440],
    ['dark', 390],
  ] as const;

  describe.each(LOOKS)('%s, %d pixels wide', (colorScheme, width) => {
    let context: BrowserContext;
    let page: Page;
    beforeAll(async () => {
      context = await browser.newContext({ colorScheme, viewport: { width, height: 844 } });
    });
    beforeEach(async () => {
      page = await context.newPage();
    });
    afterEach(() => page.close());
    afterAll(() => context.close());

    it.each(Object.entries(PAGES))('finds nothing serious on %s', async (path, made) => {
      await page.goto(`${await petstore.app.getUrl()}${path}`);
      await page.locator(made).first().waitFor({ state: 'attached' });
      expect(await seriousFindings(page)).toEqual([]);
    });

    it('finds nothing serious in Swagger UI while it is used', async () => {
      await page.goto(`${await petstore.app.getUrl()}/docs`);
      await page.locator('.auth-wrapper .authorize').first().click();
      const dialog = page.locator('.dialog-ux');
      expect(await seriousFindings(page, dialog)).toEqual([]);
      await dialog.locator('input').fill(await petstore.key());
      await dialog.getByRole('button', { name: 'Authorize' }).click();
      expect(await seriousFindings(page, dialog)).toEqual([]);
      await dialog.getByRole('button', { name: 'Close' }).last().click();

      for (const id of ['listPets', 'createPet']) {
        const operation = page.locator(`[id$="-${id}"].opblock`);
        await operation.locator('.opblock-summary-control').click();
        await operation.locator('.responses-inner').waitFor();
        expect(await seriousFindings(page, operation)).toEqual([]);
        await operation.getByRole('button', { name: 'Try it out' }).click();
        expect(await seriousFindings(page, operation)).toEqual([]);
        await operation.getByRole('button', { name: 'Execute' }).click();
        await operation.locator('.live-responses-table .response').waitFor();
        expect(await seriousFindings(page, operation)).toEqual([]);
      }
      const list = page.locator('[id$="-listPets"].opblock');
      await list.locator('tr[data-param-name="limit"] input').fill('1000');
      await list.getByRole('button', { name: 'Execute' }).click();
      await page.getByText('Value must be less than or equal to 100').waitFor();
      expect(await seriousFindings(page, list)).toEqual([]);
    });
  });
});
