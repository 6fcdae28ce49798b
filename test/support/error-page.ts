import { join } from 'node:path';

export const ERROR_PAGE = join(import.meta.dirname, '../../docs/errors.md');

/** Whether the run may rewrite the page. */
export const UPDATING = process.env.UPDATE_ERRORS === 'true';
