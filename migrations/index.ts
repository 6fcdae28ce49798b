/** All migrations. They run in the order of the times in their names; `npm run migration` adds a line. */
export * from './1764547200000-create-pets.js';
export * from './1764547200001-create-orders.js';
export * from './1795456800000-reserve-pets.js';
export * from './1795456800001-create-categories.js';
export * from './1795629600000-fold-category-names.js';
export * from './1795950000002-index-filtered-lists.js';
export * from './1796000000000-index-pet-names.js';
export * from './1796100000000-fold-category-names-as-pets.js';
