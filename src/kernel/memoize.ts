/** Computes the value for each object once, and keeps it as long as the object lives. */
export function memoize<K extends object, V>(compute: (key: K) => V): (key: K) => V {
  const values = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    let entry = values.get(key);
    if (!entry) values.set(key, (entry = { value: compute(key) }));
    return entry.value;
  };
}
