import type { Browser, Locator, Page } from 'playwright-core';
import { addSampleData } from '../../../src/platform/program/bootstrap/demo/welcome.js';
import { describeInBrowser } from '../../support/browser.js';
import { Petstore } from '../../support/petstore.js';
import { authorize, isEvent, operationIds, operationOf } from '../../support/swagger-ui.js';

interface Documented {
  readonly operationId: string;
  readonly 'x-hideTryItPanel'?: boolean;
}

/** What an operation says of a parameter whose example cannot work at once, or twice. */
const FIRST = /Create a webhook first/;
const AGAIN = /To try it again, /;
/** Of all operations together: a busy machine takes seconds for each. */
const PATIENCE = 900_000;

describeInBrowser('the examples in the Swagger UI', 'GET /docs in a browser', (launch) => {
  describe('executes every operation with its example, and', () => {
    let petstore: Petstore;
    let browser: Browser;
    let page: Page;
    let documented: readonly Documented[];
    const broken: string[] = [];

    beforeAll(async () => {
      petstore = await Petstore.start();
      await addSampleData(petstore.app);
      const { body } = await petstore.client().get('/openapi.json').expect(200);
      documented = Object.values((body as { paths: Record<string, object> }).paths).flatMap((item) =>
        Object.values(item as Record<string, Documented>),
      );
      browser = await launch();
      const context = await browser.newContext();
      context.on('weberror', (error) => broken.push(error.error().message));
      context.setDefaultTimeout(120_000);
      page = await context.newPage();
      await page.goto(`${await petstore.app.getUrl()}/docs`);
      await authorize(page, await petstore.key());
    });
    afterAll(async () => {
      await browser.close();
      await petstore.stop();
    });

    /** Opens an operation, and closes it afterwards: thirty open ones make the page slow. */
    async function within(id: string, work: (operation: Locator) => Promise<void>): Promise<void> {
      const operation = operationOf(page, id);
      const control = operation.locator('.opblock-summary-control');
      await control.dispatchEvent('click'); // a real click would wait for the page to become stable
      await operation.locator('.responses-inner').waitFor();
      await work(operation);
      await control.dispatchEvent('click');
    }

    const panel = (operation: Locator) => operation.getByRole('button', { name: 'Try it out' });

    /** Presses the button, and expects the page to show the response that the service has sent. */
    async function execute(operation: Locator): Promise<{ readonly status: number; readonly body: string }> {
      const [response] = await Promise.all([
        page.waitForResponse((one) => new URL(one.url()).pathname.startsWith('/v1/')),
        operation.getByRole('button', { name: 'Execute' }).dispatchEvent('click'),
      ]);
      const shown = operation.locator('.live-responses-table .response-col_status');
      await shown.getByText(String(response.status())).first().waitFor();
      return { status: response.status(), body: await response.text() };
    }

    it('shows all of them', async () => {
      const shown = (await operationIds(page)).filter((id) => !isEvent(id));
      expect(shown.toSorted()).toEqual(documented.map(({ operationId }) => operationId).toSorted());
    });

    it(
      'succeeds twice, or says what to do',
      async () => {
        let count = 0;
        for (const { operationId: id, 'x-hideTryItPanel': isHidden = false } of documented)
          await within(id, async (operation) => {
            expect([id, await panel(operation).count()]).toEqual([id, isHidden ? 0 : 1]);
            if (isHidden) return;
            await panel(operation).dispatchEvent('click');
            const { status: first } = await execute(operation);
            const { status: second, body } = await execute(operation);
            const results = [id, first, second];
            expect(results.filter((status) => Number(status) >= 500)).toEqual([]);
            if (second >= 400) {
              // Of a parameter beside it; of a body, whose example hides its description, in the response.
              const hasBody = (await operation.locator('textarea').count()) > 0;
              const { message } = JSON.parse(body) as { readonly message: string };
              const says = (await operation.innerText()).replaceAll('\\"', '"');
              expect([...results, says]).toEqual([
                ...results,
                hasBody
                  ? expect.stringContaining(message)
                  : expect.stringMatching(first >= 400 ? FIRST : AGAIN),
              ]);
            }
            count += 1;
          });
        expect(count).toBeGreaterThanOrEqual(20);
      },
      PATIENCE,
    );

    it('breaks nothing in the page', () => {
      expect(broken).toEqual([]);
    });
  });
});
