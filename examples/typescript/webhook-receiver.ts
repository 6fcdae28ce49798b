import { createServer } from 'node:http';
import { env, stdout } from 'node:process';
import { text } from 'node:stream/consumers';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

interface PetstoreEvent {
  readonly id: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const webhook = new Webhook(env.WEBHOOK_SECRET ?? ''); // the secret that POST /v1/webhooks has shown
const seen = new Set<string>(); // in a real receiver a table with a unique index

const server = createServer((request, response) => {
  void text(request).then((body) => {
    const headers = request.headers as Record<string, string>;
    try {
      const event = webhook.verify(body, headers) as PetstoreEvent; // also refuses what is older than 5 minutes
      const id = headers['webhook-id'] ?? '';
      if (!seen.has(id)) stdout.write(`${event.type} ${JSON.stringify(event.data)}\n`);
      seen.add(id);
      response.writeHead(204).end(); // at once: the service waits for 10 s at most
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      response.writeHead(400).end();
    }
  });
});

server.listen(Number(env.PORT ?? 4000), '127.0.0.1', () => {
  stdout.write(`Listening at ${JSON.stringify(server.address())}\n`);
});
