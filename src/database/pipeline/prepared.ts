import utils, { type Sendable } from 'pg/lib/utils.js';
import type { Run } from './statement.js';

export interface Prepared extends Run {
  readonly values: Sendable[];
}

/** By the name. */
const texts = new Map<string, string>();

/**
 * The run with its values as they are sent. `pg` would do this while it sends, and a value that cannot be sent then
 * leaves the connection with a statement that it believes to be prepared: whoever runs it next there would fail.
 * @throws what `pg` throws for such a value, for instance a TypeError for a BigInt within JSON; Error where another
 * statement has the name
 */
export function prepared({ name, text, values }: Run): Prepared {
  const known = texts.get(name);
  if (known === undefined) texts.set(name, text);
  else if (known !== text) throw new Error(`Two statements have the name "${name}"`);
  return { name, text, values: values.map(utils.prepareValue) };
}
