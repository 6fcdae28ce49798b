const number = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

/** Approximate number of requests to send. */
export const REQUESTS = number('CONTRACT_REQUESTS', 150);

/** The random seed. Use the seed printed by a failed run to repeat it. */
export const SEED = number('CONTRACT_SEED', Date.now() % 2 ** 31);
