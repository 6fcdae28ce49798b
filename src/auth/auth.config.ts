import type { Variables } from '../kernel/config/variables.js';

export class AuthConfig {
  /** Who changes keys by the command line, for their history; absent: the user of the operating system. */
  readonly actor: string | undefined;

  constructor(variables: Variables) {
    this.actor = variables.optional('PETSTORE_ACTOR');
  }
}
