// Preloaded into each server of `npm run bench` (`node --import`): counts what only the process itself knows, between two messages.
import { GCProfiler, getHeapStatistics } from 'node:v8';
import { performance } from 'node:perf_hooks';

const used = () => getHeapStatistics().used_heap_size;
const passes = () => performance.nodeTiming.uvMetricsInfo.loopCount;
let count;

process.on('message', () => {
  if (count) {
    process.send(count());
    count = undefined;
    return;
  }
  const profiler = new GCProfiler();
  const before = { used: used(), passes: passes() };
  profiler.start();
  count = () => {
    const after = { used: used(), passes: passes() };
    const { statistics } = profiler.stop();
    const size = (of) => of.heapStatistics.usedHeapSize;
    const freed = statistics.reduce((sum, { beforeGC, afterGC }) => sum + size(beforeGC) - size(afterGC), 0);
    return { allocatedBytes: after.used - before.used + freed, passes: after.passes - before.passes };
  };
});
process.channel.unref(); // as if it were not there
