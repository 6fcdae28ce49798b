import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { describeInBrowser } from '../../support/browser.js';
import { Petstore } from '../../support/petstore.js';
import { authorize, isEvent, openOperation, operationIds, operationOf } from '../../support/swagger-ui.js';

interface Box {
  getBoundingClientRect(): { readonly bottom: number };
}

let petstore: Petstore;
beforeAll(async () => {
  // Differs from the address at which the page is opened, as behind a proxy or at `localhost`.
  petstore = await Petstore.start({ env: { PUBLIC_URL: 'http://petstore.test' } });
});
afterAll(() => petstore.stop());

describeInBrowser('Swagger UI in a browser', 'GET /docs in a browser', (launch) => {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let address: string;
  const hosts = new Set<string>();
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await launch();
    context = await browser.newContext();
    context.on('request', (request) => hosts.add(new URL(request.url()).origin));
    context.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    context.on('weberror', (error) => complaints.push(error.error().message));
    page = await context.newPage();
    address = (await petstore.app.getUrl()).replace('127.0.0.1', 'localhost');
    await page.goto(`${address}/docs`);
    await authorize(page, await petstore.key());
  });
  afterAll(() => browser.close());

  const operation = (id: string): Locator => operationOf(page, id);
  const open = (id: string): Promise<Locator> => openOperation(page, id);

  async function execute(id: string): Promise<string> {
    await operation(id).getByRole('button', { name: 'Execute' }).click();
    const response = operation(id).locator('.live-responses-table .response');
    await response.waitFor();
    return response.innerText();
  }

  it('has Authorize and operations on the first screen, and the introduction collapsed', async () => {
    const bottoms = await page
      .locator('.btn.authorize, .opblock')
      .evaluateAll((elements) =>
        (elements as unknown as Box[]).map((element) => element.getBoundingClientRect().bottom),
      );
    const { height = 0 } = page.viewportSize() ?? {};
    expect(bottoms.filter((bottom) => bottom < height).length).toBeGreaterThanOrEqual(4);
    const topics = page.locator('.info details');
    expect(await topics.locator('summary').allInnerTexts()).toEqual(['Conventions']);
    expect(await topics.locator('table').isVisible()).toBe(false);
    await topics.getByText('Conventions').click();
    expect(await topics.locator('h3').allInnerTexts()).toEqual(
      expect.arrayContaining(['Authentication', 'Pages', 'Errors', 'Quotas', 'Idempotency', 'Events']),
    );
    await topics.locator('table').getByText('1,000', { exact: true }).first().waitFor();
  });

  it('names the codes of an error and links to the catalogue', async () => {
    const getPet = await open('getPet');
    const notFound = getPet.locator('tr.response[data-code="404"]');
    const link = notFound.getByRole('link', { name: 'pet_not_found' });
    expect(await link.getAttribute('href')).toBe('/docs/errors#pet_not_found');
    await getPet.locator('.opblock-summary-control').click();
  });

  it('lists pets with "Try it out" and shows the rate-limit headers of the response', async () => {
    const list = await open('listPets');
    await list.getByRole('button', { name: 'Try it out' }).click();
    await list.locator('tr[data-param-name="limit"] input').fill('2');
    const sent = page.waitForRequest(/\/v1\/pets/);
    const response = await execute('listPets');
    expect((await sent).headers()).not.toHaveProperty('if-none-match'); // an invented value
    expect(response).toMatch(/^200/);
    expect(response).toMatch(/x-ratelimit-limit: 1000000/);
    expect(response).toMatch(/x-ratelimit-remaining: \d+/);
    expect(response).toMatch(/x-ratelimit-reset: \d{10}/);
  });

  it('adds a pet with "Try it out", from the example', async () => {
    const create = await open('createPet');
    await create.getByRole('button', { name: 'Try it out' }).click();
    const response = await execute('createPet');
    expect(response).toMatch(/^201/);
    expect(response).toContain('"name": "Rex"');
    expect(await petstore.query('SELECT name FROM pets')).toContainEqual({ name: 'Rex' });
  });

  it('shows every digit of an integer that JavaScript would round', async () => {
    const create = operation('createPet');
    await create.locator('textarea').fill('{"name":"a: [,]","categoryId":9223372036854775807}');
    await create.getByRole('button', { name: 'Execute' }).click();
    await create.getByText('9223372036854775807,').waitFor();
    expect(await create.locator('.live-responses-table .response pre').first().innerText()).toMatch(
      /^\{\n  "id": \d+,\n  "name": "a: \[,\]",\n  "categoryId": 9223372036854775807,\n  "status": "available"\n\}$/,
    );
  });

  it('calls the events that it documents "Events sent to you", those of pets first', async () => {
    const events = page.locator('.webhooks');
    await events.getByRole('heading', { name: 'Events sent to you' }).waitFor();
    expect(await events.locator('.opblock-summary-path').first().innerText()).toMatch(/^pet\./);
  });

  it('shows getPet struck through, with the day of its removal', async () => {
    await operation('getPet').locator('.opblock-summary-path__deprecated').waitFor();
    const path = `document.querySelector('.opblock-summary-path__deprecated[data-path="/pets/{petId}"]')`;
    expect(await page.evaluate(`getComputedStyle(${path}).textDecorationLine`)).toBe('line-through');
    await operation('getPet').getByText('Get a pet (until 2030-12-05)', { exact: true }).waitFor();
  });

  it('shows the stability of orders', async () => {
    await operation('listOrders').getByText('List orders (experimental)', { exact: true }).waitFor();
  });

  it('offers no "Try it out" on orders', async () => {
    const orders = await open('listOrders');
    await orders.getByText('Parameters').waitFor();
    expect(await orders.getByRole('button', { name: 'Try it out' }).count()).toBe(0);
    await orders.getByText('is switched off for this operation').waitFor();
    expect(await page.locator('.swagger-ui').innerText()).not.toContain('x-hideTryItPanel');
  });

  it('breaks no word of a text that does not fit into a line of a phone', async () => {
    const wide = page.viewportSize() ?? { width: 1280, height: 720 };
    await page.setViewportSize({ width: 375, height: 700 });
    await operation('listPets').locator('.highlight-code code').first().waitFor();
    const styles = await page.evaluate(`
      [...document.querySelectorAll('.swagger-ui :is(.microlight, .microlight code, .renderedMarkdown p, .markdown p)')]
        .map((element) => [getComputedStyle(element).wordBreak, getComputedStyle(element).overflowWrap].join())`);
    expect(new Set(styles as string[])).toEqual(new Set(['normal,break-word']));
    await page.setViewportSize(wide);
  });

  it('keeps the authorization after a reload', async () => {
    await page.reload();
    await page.locator('.auth-wrapper .authorize.locked').waitFor();
  });

  it('calls the address it was opened at, whatever PUBLIC_URL is', async () => {
    await page.getByRole('option', { name: '/v1 - Production' }).waitFor({ state: 'attached' });
  });

  it.each([
    ['dark', 'html.dark-mode', 'rgb(20, 25, 26)'],
    ['light', 'html:not(.dark-mode)', 'rgb(247, 245, 241)'],
  ] as const)('is %s if its reader prefers that', async (colorScheme, root, background) => {
    await page.emulateMedia({ colorScheme });
    await page.locator(root).waitFor();
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(background);
  });

  it('loads in 4 s and opens an operation in 1 s of main-thread time', async () => {
    const fresh = await context.newPage();
    const session = await context.newCDPSession(fresh);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' }); // not affected by a busy machine
    const seconds = async () => {
      const { metrics } = await session.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN;
    };
    await fresh.goto(`${address}/docs`);
    await fresh.locator('.opblock').first().waitFor();
    const loaded = await seconds();
    expect(loaded).toBeLessThanOrEqual(4);
    for (const id of ['listPets', 'createPet', 'updatePet', 'createWebhook']) {
      const before = await seconds();
      await fresh.locator(`[id$="-${id}"].opblock .opblock-summary-control`).dispatchEvent('click');
      await fresh.locator(`[id$="-${id}"].opblock .responses-inner`).waitFor();
      const took = (await seconds()) - before;
      expect({ id, isQuick: took <= 1, took }).toMatchObject({ isQuick: true });
    }
    await fresh.close();
  });

  it('fits a phone: an open operation takes at most four screens', async () => {
    await page.close();
    const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }; // a narrow window lays out differently
    const mobile = await browser.newContext(phone);
    page = await mobile.newPage();
    await page.goto(`${address}/docs/`);
    const ids = await operationIds(page);
    expect(ids.length).toBeGreaterThanOrEqual(6);
    const [event = ''] = ids.filter(isEvent); // all events look alike, so one is enough
    for (const id of [...ids.filter((one) => !isEvent(one)), event]) {
      const control = operation(id).locator('.opblock-summary-control');
      await control.dispatchEvent('click'); // a real click would wait fifty times for the page to become stable
      await operation(id).locator('.responses-inner').waitFor();
      const { height = 0 } = (await operation(id).boundingBox()) ?? {};
      expect({ id, isShort: height <= 4 * 844, height }).toMatchObject({ isShort: true });
      await control.dispatchEvent('click');
    }
    expect(await page.evaluate('[innerWidth, document.documentElement.scrollWidth]')).toEqual([390, 390]);
    // A response stays in its box, whose long headers scroll.
    await petstore.query(
      `INSERT INTO pets (name, category_id, status) SELECT 'Rex', 1, 'available' FROM generate_series(1, 30)`,
    );
    await authorize(page, await petstore.key());
    await open('listPets');
    await operation('listPets').getByRole('button', { name: 'Try it out' }).click();
    await execute('listPets');
    const [table, box] = await Promise.all(
      ['.live-responses-table', '.responses-inner'].map((part) =>
        operation('listPets').locator(part).boundingBox(),
      ),
    );
    expect((table?.x ?? 0) + (table?.width ?? 0)).toBeLessThanOrEqual((box?.x ?? 0) + (box?.width ?? 0));
  });

  it('sent no request to another host and logged no error or warning in any test', () => {
    expect([...hosts]).toEqual([address]);
    expect(complaints).toEqual([]);
  });
});
