// cache/ keeps what was computed, for as long as its object lives or up to a number of entries.

/**
 * Calls a function once for each object: for a value that depends on nothing that changes. It is collected
 * with its object.
 */
export function memoize<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, Value>();
  return (key) => {
    let value = made.get(key);
    if (value === undefined) made.set(key, (value = make(key)));
    return value;
  };
}
