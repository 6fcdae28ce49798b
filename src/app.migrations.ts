import * as listed from '../migrations/index.js';
import type { Migration } from './platform/data/database/migrations/migration-state.js';

const timeOf = ({ name }: Migration): number => Number(/\d+$/.exec(name)?.[0]);

/** The migrations of this version, in order: their names end with a time. */
export const MIGRATIONS: readonly Migration[] = Object.values<Migration>(listed).sort(
  (one, other) => timeOf(one) - timeOf(other),
);
