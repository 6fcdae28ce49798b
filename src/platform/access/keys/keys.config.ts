import type { Variables } from '../../kernel/config/variables.js';
import { prefixed } from '../../kernel/config/service.js';

export class KeysConfig {
  /**
   * The user that the history records for changes by command line; by default the user of the operating
   * system.
   */
  readonly actor: string | undefined;

  constructor(variables: Variables) {
    this.actor = variables.optional(prefixed('ACTOR'));
  }
}
