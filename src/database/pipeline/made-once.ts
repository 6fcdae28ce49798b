/** A memory of what is made once for a repository and a name: making it anew would cost each request. */
export function madeOnce<T>(): (repository: object, name: string, make: () => T) => T {
  const all = new WeakMap<object, Map<string, T>>();
  return (repository, name, make) => {
    let own = all.get(repository);
    if (!own) all.set(repository, (own = new Map<string, T>()));
    let one = own.get(name);
    if (one === undefined) own.set(name, (one = make()));
    return one;
  };
}
