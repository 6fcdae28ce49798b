import { join } from 'node:path';

/** Where the repository keeps the document, so that a change of the interface shows in a review. */
export const SNAPSHOT = join(import.meta.dirname, '../../docs/openapi.yaml');

/** Whether the run may write the snapshot anew. */
export const UPDATING = process.env.UPDATE_OPENAPI === 'true';

/** The addresses in the snapshot. */
export const SNAPSHOT_ENV = {
  PUBLIC_URL: 'https://petstore.test',
  STAGING_PUBLIC_URL: 'https://staging.petstore.test',
};
