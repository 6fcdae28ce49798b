import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';

/** Answers with every metric in the text format of Prometheus. */
export function serveMetrics(registry: Registry) {
  return async (_request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.setHeader('Content-Type', registry.contentType);
    response.end(await registry.metrics());
  };
}
