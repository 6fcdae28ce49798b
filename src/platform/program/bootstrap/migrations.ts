import type { Migration } from '../../data/database/migrations/migration-state.js';
import { PLATFORM_MIGRATIONS } from '../migrations/index.js';
import type { ServiceDefinition } from './service-definition.js';

const timeOf = ({ name }: Migration): number => Number(/\d+$/.exec(name)?.[0]);

/** All migrations of a service, in the order in which they run: their names end with a time. */
export const migrationsOf = ({ migrations }: Pick<ServiceDefinition, 'migrations'>): readonly Migration[] =>
  [...PLATFORM_MIGRATIONS, ...migrations].sort((one, other) => timeOf(one) - timeOf(other));
