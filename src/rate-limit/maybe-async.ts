export type MaybeAsync<T> = T | Promise<T>;

/** `then` without a delay for plain values: a decision in memory is one step that no other request interrupts. */
export function chain<T, U>(value: MaybeAsync<T>, next: (value: T) => MaybeAsync<U>): MaybeAsync<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** `Promise.all` without a delay for plain values. */
export function all<T>(values: readonly MaybeAsync<T>[]): MaybeAsync<T[]> {
  return values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as T[]); // none is a promise
}
