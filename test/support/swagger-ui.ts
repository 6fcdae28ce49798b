import type { Locator, Page } from 'playwright-core';

/** Enters an API key, as a reader of the page does. */
export async function authorize(page: Page, key: string): Promise<void> {
  await page.getByRole('button', { name: 'Authorize', exact: true }).click();
  const dialog = page.locator('.dialog-ux');
  await dialog.getByText('prints demo keys').waitFor();
  await dialog.locator('input').fill(key);
  await dialog.getByRole('button', { name: 'Authorize' }).click();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
}

/** An operation, by its `operationId`. */
export const operationOf = (page: Page, id: string): Locator => page.locator(`[id$="-${id}"].opblock`);

export async function openOperation(page: Page, id: string): Promise<Locator> {
  const operation = operationOf(page, id);
  await operation.locator('.opblock-summary-control').click();
  await operation.locator('.responses-inner').waitFor();
  return operation;
}

/** The ids of all operations, in the order of the page. Those of events are called `onPetCreated`. */
export async function operationIds(page: Page): Promise<string[]> {
  await page.locator('.opblock').first().waitFor();
  const ids = await page
    .locator('.opblock')
    .evaluateAll((elements) => (elements as unknown as { id: string }[]).map((element) => element.id));
  return ids.map((id) => id.split('-').at(-1) ?? '');
}

/** Whether an operation is an event that is sent to webhooks. */
export const isEvent = (id: string): boolean => /^on[A-Z]/.test(id);
