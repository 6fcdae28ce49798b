import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually } from './eventually.js';

interface ReceivedMessage {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** A webhook endpoint that responds as a test specifies. */
export class WebhookReceiver {
  readonly received: ReceivedMessage[] = [];
  /** How it responds: with a status, or through a function that may never respond. */
  respond: number | ((response: ServerResponse) => void) = 204;
  private readonly server = createServer((request, response) => {
    void text(request).then((body) => {
      this.received.push({
        url: request.url ?? '',
        headers: request.headers as Record<string, string>,
        body,
      });
      if (typeof this.respond === 'function') this.respond(response);
      else response.writeHead(this.respond).end();
    });
  });

  static async start(address = '127.0.0.1'): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await once(receiver.server.listen(0, address), 'listening');
    return receiver;
  }

  get url(): string {
    const { address, port } = this.server.address() as AddressInfo;
    return `http://${address}:${port}/hook`;
  }

  /** Waits for the message at this index, from 0. */
  async message(at: number): Promise<ReceivedMessage> {
    await eventually(() => this.received.length > at);
    const message = this.received[at];
    if (!message) throw new Error('It was there.');
    return message;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
