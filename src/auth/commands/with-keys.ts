import { StartupError } from '../../start/startup.error.js';
import type { ApiKey } from '../api-key.entity.js';
import type { CliServices } from './cli.module.js';

/** Loads the application only now: help, plans and typing errors answer without it, four times as fast. */
export async function withKeys<T>(work: (services: CliServices) => Promise<T>): Promise<T> {
  const application = await import('./cli.module.js');
  return application.withServices(work);
}

export function existing(id: string, key: ApiKey | null | undefined): ApiKey {
  if (!key) throw new StartupError(`There is no key with the id ${id}. petstore keys list shows all.`);
  return key;
}
