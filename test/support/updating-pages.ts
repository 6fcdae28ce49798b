/** Whether the run may rewrite the pages and files that are made from the code: `npm run openapi:snapshot`. */
export const UPDATING = process.env.UPDATE_PAGES === 'true';
