import { setFlagsFromString } from 'node:v8';

/**
 * V8 watches which objects live long, and makes such directly in the old part of the heap. Where it has watched the
 * first requests at a bad moment, it does so for what every request makes, and a page of a list takes 130 µs in place
 * of 70 until the process ends: 8 of 47 starts with few MB for new objects (docs/performance.md). Here nothing that
 * a request makes lives long.
 */
setFlagsFromString('--no-allocation-site-pretenuring');

/** With a few MB for new objects, waking up other threads to clear them takes more time than they save (docs/performance.md). */
setFlagsFromString('--no-parallel-scavenge');
