import { existsSync } from 'node:fs';
import { skipped } from './skipped.js';

/**
 * Whether the service still has a feature of the shop. Another shop removes feature folders, and the tests about them.
 */
export const hasFeature = (folder: string): boolean =>
  existsSync(new URL(`../../src/shop/${folder}`, import.meta.url));

/** The rows whose features exist, by the first part of a path such as `/v1/pets` or `/pets/{petId}`. */
export const served = <Row>(rows: readonly Row[], pathOf: (row: Row) => string): Row[] =>
  rows.filter((row) => {
    const [, feature = ''] = /^(?:\/v1)?\/([a-z-]+)/.exec(pathOf(row)) ?? [];
    return !OF_THE_SHOP.includes(feature) || hasFeature(feature);
  });

const OF_THE_SHOP = ['pets', 'categories', 'store'];
const missing = OF_THE_SHOP.filter((feature) => !hasFeature(feature));
export const isShopWhole = missing.length === 0;

/**
 * For suites that need the whole shop, such as its clients and its tutorial. Their `describe` is skipped if a feature
 * is missing.
 */
export const describeShop = (): jest.Describe => (isShopWhole ? describe : describe.skip);
if (missing.length > 0) skipped('suites about the whole shop', `restore src/shop with ${missing.join(', ')}`);
