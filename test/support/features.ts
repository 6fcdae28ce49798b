import { existsSync } from 'node:fs';

/** Whether the service still has a feature of the shop. Another shop removes folders, and with them what tests say of them. */
export const hasFeature = (folder: string): boolean =>
  existsSync(new URL(`../../src/${folder}`, import.meta.url));

/** The rows about features that are there, by the first part of a path such as `/v1/pets` or `/pets/{petId}`. */
export const served = <Row>(rows: readonly Row[], pathOf: (row: Row) => string): Row[] =>
  rows.filter((row) => {
    const [, feature = ''] = /^(?:\/v1)?\/([a-z-]+)/.exec(pathOf(row)) ?? [];
    return !OF_THE_SHOP.includes(feature) || hasFeature(feature);
  });

const OF_THE_SHOP = ['pets', 'categories', 'store', 'webhooks'];
const missing = OF_THE_SHOP.filter((feature) => !hasFeature(feature));

/** For what knows the whole shop: its clients and its tutorial. Each suite has a `describe` of its own. */
export const describeShop = (): jest.Describe => (missing.length === 0 ? describe : describe.skip);
if (missing.length > 0) process.stdout.write(`Skipped, what needs ${missing.join(', ')}.\n`);
