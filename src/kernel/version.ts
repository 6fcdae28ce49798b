import { createRequire } from 'node:module';

/** The version of the package, as `package.json` states it. */
export const { version: VERSION } = createRequire(import.meta.url)('#package.json') as { version: string };
