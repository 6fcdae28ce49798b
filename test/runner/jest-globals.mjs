/** The `jest` object of the running suite, for `import { jest } from '@jest/globals'`. */
export const jest = new Proxy({}, { get: (_, name) => globalThis.petstoreSuite.jest[name] });
