import { setFlagsFromString } from 'node:v8';

/**
 * Otherwise V8 may decide after the first requests to allocate the objects of a request in the old generation, until the process
 * ends.
 */
setFlagsFromString('--no-allocation-site-pretenuring');

/** Little survives in the young generation, so helper threads cost more time than they save. */
setFlagsFromString('--no-parallel-scavenge');
