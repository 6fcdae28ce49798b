import { setFlagsFromString } from 'node:v8';

/**
 * V8 may decide from the first requests to allocate the objects of all requests in the old generation; then a list takes
 * 130 µs instead of 70 until the process ends (docs/performance.md).
 */
setFlagsFromString('--no-allocation-site-pretenuring');

/** With a small young generation, waking other threads takes more time than they save (docs/performance.md). */
setFlagsFromString('--no-parallel-scavenge');
