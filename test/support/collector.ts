import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

export interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number; readonly message?: string };
}

interface Export {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: SentSpan[] }[] }[];
}

/** A fake OpenTelemetry collector that stores what it receives over OTLP/HTTP. */
export class Collector {
  readonly spans: SentSpan[] = [];
  /** All that it has received, with what `spans` does not type. */
  readonly exports: unknown[] = [];
  readonly resource = new Map<string, string | number | undefined>();
  private readonly server = createServer((request, response) => {
    void (async () => {
      const sent = JSON.parse(Buffer.concat((await request.toArray()) as Buffer[]).toString()) as Export;
      const { resourceSpans } = sent;
      this.exports.push(sent);
      for (const { resource, scopeSpans } of resourceSpans) {
        for (const { key, value } of resource.attributes) this.resource.set(key, value.stringValue);
        for (const { spans } of scopeSpans) this.spans.push(...spans);
      }
      response.setHeader('Content-Type', 'application/json').end('{}');
    })();
  });

  static async start(): Promise<Collector> {
    const collector = new Collector();
    await new Promise<void>((resolve) => collector.server.listen(0, '127.0.0.1', resolve));
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
