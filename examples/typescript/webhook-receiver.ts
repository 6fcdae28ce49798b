import { createServer } from 'node:http';
import { env, stdout } from 'node:process';
import { text } from 'node:stream/consumers';
import { verifyWebhook, WebhookVerificationError } from 'petstore-client';

const secret = env.WEBHOOK_SECRET ?? ''; // that POST /v1/webhooks has shown
const seen = new Set<string>(); // in a real receiver a table with a unique index

async function receive(
  body: string,
  headers: Record<string, string | string[] | undefined>,
): Promise<number> {
  try {
    const event = await verifyWebhook(body, headers, secret, { ids: 'string' }); // refuses what is older than 5 minutes
    const id = String(headers['webhook-id']);
    if (!seen.has(id)) stdout.write(`${event.type} ${JSON.stringify(event.data)}\n`);
    seen.add(id);
    return 204; // at once: the service waits for 10 s at most
  } catch (error) {
    if (error instanceof WebhookVerificationError) return 400;
    throw error;
  }
}

const server = createServer((request, response) => {
  void text(request)
    .then((body) => receive(body, request.headers))
    .then((status) => response.writeHead(status).end());
});

server.listen(Number(env.PORT ?? 4000), '127.0.0.1', () => {
  stdout.write(`Listening at ${JSON.stringify(server.address())}\n`);
});
