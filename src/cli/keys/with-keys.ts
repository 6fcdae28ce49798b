import { StartupError } from '../../kernel/errors/startup.error.js';
import type { ApiKey } from '../../auth/api-key.entity.js';
import type { KeyServices } from './key-services.js';

/** Loads TypeORM only now: help, plans and typing errors answer without it, four times as fast. */
export async function withKeys<T>(work: (services: KeyServices) => Promise<T>): Promise<T> {
  const { withKeyServices } = await import('./key-services.js');
  return withKeyServices(work);
}

export function existing(id: string, key: ApiKey | null | undefined): ApiKey {
  if (!key) throw new StartupError(`There is no key with the id ${id}. petstore keys list shows all.`);
  return key;
}
