const number = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

/** About how many requests to send. */
export const REQUESTS = number('CONTRACT_REQUESTS', 150);

/** Where chance starts: the seed that a failed run has printed repeats it. */
export const SEED = number('CONTRACT_SEED', Date.now() % 2 ** 31);
