const number = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

/** Approximate number of requests to send. */
export const REQUESTS = number('CONTRACT_REQUESTS', 150);

/** A random seed. Use the seed printed by a failed run to repeat it. */
export const seedOf = (variable: string): number => number(variable, Date.now() % 2 ** 31);

export const SEED = seedOf('CONTRACT_SEED');

/** Simpler requests that are tried after a failure, to find a short example. */
const SIMPLER = 100;

/** Ends the search for the simplest example that fails, which could otherwise take thousands of requests. */
export function bounded<T>(check: (value: T) => Promise<void>): (value: T) => Promise<void> {
  let left = Infinity;
  return async (value) => {
    if (left-- <= 0) return;
    await check(value).catch((error: unknown) => {
      left = Math.min(left, SIMPLER);
      throw error;
    });
  };
}
