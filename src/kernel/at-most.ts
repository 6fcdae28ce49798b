/**
 * The bound of an `LRUCache` that takes memory for the entries it holds. Its option `max` would allocate all of them in
 * advance: 7 MB and 40 ms of each start for the caches of this service.
 */
export const atMost = (entries: number): { maxSize: number; sizeCalculation: () => number } => ({
  maxSize: entries,
  sizeCalculation: () => 1,
});
