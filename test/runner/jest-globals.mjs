/** What `import { jest } from '@jest/globals'` gets: the object of the suite that runs. */
export const jest = new Proxy({}, { get: (_, name) => globalThis.petstoreSuite.jest[name] });
