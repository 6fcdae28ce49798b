import { StartupError } from '../../kernel/config/startup-error.js';

/** A permission of a key, such as `pets:write`. */
export type Scope = `${string}:${string}`;

/** All scopes that modules declare, in alphabetical order. */
export const SCOPES: Scope[] = [];

/** RFC 6750, section 3, allows more, but lists of scopes are separated by spaces and commas. */
const NAME = /^[a-z][a-z0-9_-]*:[a-z][a-z0-9_-]*$/;

/** Declaring a scope twice changes nothing. @throws StartupError if the name is not one of a scope */
export function declareScope(scope: Scope): void {
  if (!NAME.test(scope))
    throw new StartupError(
      `${JSON.stringify(scope)} is not the name of a scope: two lower-case words, such as books:write.`,
    );
  if (SCOPES.includes(scope)) return;
  SCOPES.push(scope);
  SCOPES.sort();
}
