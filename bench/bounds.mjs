/** What `--assert` enforces: CPU per request of our service, as a multiple of the Fastify peer's in the same run. */
export const bounds = {
  list: 1.5,
};
