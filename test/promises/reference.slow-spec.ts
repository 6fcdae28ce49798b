import type { Browser, Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { Petstore } from '../support/petstore.js';

let petstore: Petstore;
beforeAll(async () => {
  petstore = await Petstore.start();
});
afterAll(() => petstore.stop());

describeInBrowser('the reference in a browser', 'GET /reference in a browser', (launch) => {
  let browser: Browser;
  let page: Page;
  let address: string;
  const hosts = new Set<string>();
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await launch();
    const context = await browser.newContext({ viewport: { width: 1440, height: 844 } });
    context.on('request', (request) => hosts.add(new URL(request.url()).origin));
    context.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    context.on('weberror', (error) => complaints.push(error.error().message));
    page = await context.newPage();
    address = await petstore.app.getUrl();
    await page.goto(`${address}/reference`);
    await page.locator('.menu-content').waitFor();
  });
  afterAll(() => browser.close());

  it.each(['Authentication', 'Rate limits', 'Pagination', 'Idempotency', 'Deprecation', 'Errors'])(
    'has the guide %s',
    async (name) => {
      await page.locator('.menu-content').getByText(name, { exact: true }).waitFor();
      await page.locator(`[id="tag/${name.replace(' ', '-')}"]`).waitFor();
    },
  );

  it('has an error list, which links to the full catalogue', async () => {
    const link = page.locator('.api-content a', { hasText: 'pet_not_found' }).first();
    expect(await link.getAttribute('href')).toBe('http://petstore.test/docs/errors#pet_not_found');
  });

  it('shows samples in curl, TypeScript and Python beside an operation', async () => {
    await page.goto(`${address}/reference#tag/pets/operation/createPet`);
    const operation = page.locator('[id="tag/pets/operation/createPet"]');
    for (const [language, text] of Object.entries({
      curl: '"Authorization: Bearer $PETSTORE_API_KEY"',
      TypeScript: 'client.pets.create({',
      Python: 'client.pets.create(',
    })) {
      await operation.getByRole('tab', { name: language, exact: true }).click();
      const sample = operation.getByRole('tabpanel').filter({ hasText: text }).first();
      await sample.waitFor();
    }
  });

  it('links from the deprecation notice of getPet to listPets', async () => {
    const notice = page.locator('[id="tag/pets/operation/getPet"]');
    const link = notice.getByRole('link', { name: 'GET /pets?ids=42', exact: true });
    expect(await link.getAttribute('href')).toBe(
      'http://petstore.test/reference#tag/pets/operation/listPets',
    );
    expect(await page.locator('[id="tag/pets/operation/listPets"]').count()).toBe(1);
  });

  it('has its headings in order, and the events last and collapsed', async () => {
    const levels = await page
      .locator('.api-content :is(h1, h2, h3, h4, h5)')
      .evaluateAll((headings) =>
        (headings as unknown as { tagName: string; ariaLevel: string | null }[]).map(
          ({ tagName, ariaLevel }) => Number(ariaLevel ?? tagName.slice(1)),
        ),
      );
    expect(levels.length).toBeGreaterThan(100);
    expect(levels.filter((level, i) => level > (levels[i - 1] ?? 0) + 1)).toEqual([]);
    const tags = await page.locator('.menu-content > div > ul > li > label').allInnerTexts();
    expect(tags.at(-1)).toBe('callbacks');
    const event = page.locator('[id="tag/callbacks/operation/onPetCreated"]');
    expect(await event.getByText('webhook-signature').isVisible()).toBe(false);
    await event.getByRole('button', { name: 'Show' }).click();
    await event.getByText('webhook-signature').first().waitFor();
    await event.getByRole('button', { name: 'Hide' }).click();
  });

  it('is shorter than 30 000 pixels, without a dark column beside the guides', async () => {
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(30_000);
    const stub = page.locator('.api-content ~ div');
    expect(await stub.evaluateAll((found) => found.filter((one) => one.checkVisibility()).length)).toBe(0);
  });

  it('searches', async () => {
    await page.getByPlaceholder('Search...').fill('orders');
    await page.locator('[data-role="search:results"]').getByText('List orders').waitFor();
    await page.getByPlaceholder('Search...').fill('');
  });

  it.each([
    ['dark', 'rgb(28, 35, 36)'],
    ['light', 'rgb(247, 245, 241)'],
  ] as const)('is %s if its reader prefers that', async (colorScheme, background) => {
    await page.emulateMedia({ colorScheme });
    const menu = `getComputedStyle(document.querySelector('.menu-content')).backgroundColor`;
    const there = `document.querySelector('.menu-content') && ${menu} === '${background}'`;
    await eventually(() => page.evaluate<boolean>(there).catch(() => false)); // it is reloading
  });

  it('fits a phone, with operations collapsed until a button or link opens them', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto('about:blank'); // Redoc changes the fragment of a page that scrolls
    await page.goto(`${address}/reference#tag/pets/operation/createPet`);
    const isOpen = (id: string) =>
      page.locator(`[id="tag/pets/operation/${id}"]`).getByText('Request samples').isVisible();
    await page.locator('[id="tag/pets/operation/createPet"]').getByText('Request samples').waitFor();
    expect(await isOpen('listPets')).toBe(false);
    await page.locator('[id="tag/pets/operation/listPets"]').getByRole('button', { name: 'Show' }).click();
    expect(await isOpen('listPets')).toBe(true);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(30_000);
  });

  it('sent no request to another host and logged no error in any test', () => {
    expect([...hosts].filter((host) => host !== 'null')).toEqual([address]); // a worker's address has no host
    expect(complaints).toEqual([]);
  });
});
