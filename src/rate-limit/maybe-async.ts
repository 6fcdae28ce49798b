export type MaybeAsync<T> = T | Promise<T>;

/** Goes on at once with what is there at once: in memory mode a decision is one step, which no other request interrupts. */
export function chain<T, U>(value: MaybeAsync<T>, next: (value: T) => MaybeAsync<U>): MaybeAsync<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** `Promise.all`, but at once where all values are there. */
export function all<T>(values: readonly MaybeAsync<T>[]): MaybeAsync<T[]> {
  return values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as T[]); // none is a promise
}
