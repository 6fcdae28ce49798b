import { Gauge } from 'prom-client';
import { VERSION } from '../../kernel/version.js';
import type { Metrics } from './metrics.js';

interface Labels {
  readonly component: 'service' | 'worker';
  /** Whether this process delivers webhooks. */
  readonly delivers: boolean;
}

/** What the process is, whatever the job that scrapes it is called: alert rules select by these labels. */
export class BuildInfo {
  constructor({ registry }: Metrics, { component, delivers }: Labels) {
    new Gauge({
      name: 'petstore_build_info',
      help: 'Always 1. The labels say which version runs, as what, and whether it delivers webhooks.',
      labelNames: ['version', 'component', 'delivers'],
      registers: [registry],
    }).set({ version: VERSION, component, delivers: String(delivers) }, 1);
  }
}
