/** The version that `ioredis` uses has no types. */
declare module 'cluster-key-slot' {
  /** @returns the slot of a key in a cluster, from 0 to 16383 */
  export default function calculateSlot(key: string): number;
}
