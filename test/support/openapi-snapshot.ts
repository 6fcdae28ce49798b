import { join } from 'node:path';

/** The document in the repository, so that changes of the API appear in reviews. */
export const SNAPSHOT = join(import.meta.dirname, '../../docs/openapi.yaml');

/** Whether the run may rewrite the snapshot. */
export const UPDATING = process.env.UPDATE_OPENAPI === 'true';

/** The addresses in the snapshot. */
export const SNAPSHOT_ENV = {
  PUBLIC_URL: 'https://petstore.test',
  STAGING_PUBLIC_URL: 'https://staging.petstore.test',
};
