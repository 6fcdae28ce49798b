import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';

/** Milliseconds between two samples. Each wakes the process: 20 a second were most of what an idle one did. */
const INTERVAL = 250;

/** By the names that `prom-client` gives to its own. */
const STATISTICS: Readonly<Record<string, (delays: IntervalHistogram) => number>> = {
  min: ({ min }) => min,
  max: ({ max }) => max,
  mean: ({ mean }) => mean,
  p50: (delays) => delays.percentile(50),
  p90: (delays) => delays.percentile(90),
  p99: (delays) => delays.percentile(99),
};

/**
 * Gauges `nodejs_eventloop_lag_…_seconds`: how late the event loop was since the last scrape. In those of `prom-client` each
 * value contains the interval between two samples. What happens before the first sample after a scrape is not seen.
 */
export function measureEventLoopDelay(registry: Registry): void {
  const delays = monitorEventLoopDelay({ resolution: INTERVAL });
  delays.enable();
  const gaugeOf = (statistic: string, collect?: () => void) => {
    const name = `nodejs_eventloop_lag_${statistic}_seconds`;
    registry.removeSingleMetric(name); // that of `prom-client`
    const help = `How late the event loop was since the last scrape: ${statistic}.`;
    return new Gauge({ name, help, registers: [registry], collect });
  };
  // The first one is asked first: it reads for all of them, and begins anew.
  const deviation = gaugeOf('stddev', () => {
    if (delays.count === 0) return;
    deviation.set(toSeconds(delays.stddev));
    for (const [gauge, read] of others) gauge.set(toSeconds(Math.max(0, read(delays) - INTERVAL * 1e6)));
    delays.reset();
  });
  const others = Object.entries(STATISTICS).map(([name, read]) => [gaugeOf(name), read] as const);
}

const toSeconds = (nanoseconds: number): number => nanoseconds / 1e9;
