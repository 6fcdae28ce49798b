import { SERVICE } from '../../src/service.js';

/** Of API keys, metrics and Redis keys: another service made from this one has another. */
export const PREFIX: string = SERVICE.prefix;

/** An API key, as the source of a regular expression. */
export const SECRET = `${PREFIX}_[0-9A-Za-z]{49}`;
