import { once } from 'node:events';
import { createServer } from 'node:http';
import { env, exit, stderr, stdout } from 'node:process';
import { text } from 'node:stream/consumers';
import { verifyWebhook, WebhookVerificationError } from 'petstore-client';

const secret = (env.WEBHOOK_SECRET ?? '').trim(); // from the response of POST /v1/webhooks
if (!/^whsec_[A-Za-z0-9+/]+=*$/.test(secret)) {
  stderr.write('Set WEBHOOK_SECRET to the `secret` (whsec_…) in the response of POST /v1/webhooks.\n');
  exit(2);
}
const seen = new Set<string>(); // in production: a table with a unique index

async function receive(
  body: string,
  headers: Record<string, string | string[] | undefined>,
): Promise<number> {
  try {
    const event = await verifyWebhook(body, headers, secret, { ids: 'string' }); // rejects messages older than 5 minutes
    const id = String(headers['webhook-id']);
    if (!seen.has(id)) stdout.write(`${event.type} ${JSON.stringify(event.data)}\n`);
    seen.add(id);
    return 204; // respond quickly: the service waits at most 10 s
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    stderr.write(`Refused a message: ${error.message}\n`);
    return 400;
  }
}

const server = createServer((request, response) => {
  text(request)
    .then((body) => receive(body, request.headers))
    .then((status) => response.writeHead(status).end())
    .catch((error: unknown) => {
      stderr.write(`${String(error)}\n`); // such as a message whose sender disconnected
      response.destroy();
    });
});

try {
  const port = Number(env.PORT ?? 4000);
  await once(server.listen(port, '127.0.0.1'), 'listening');
  stdout.write(`Listening at http://127.0.0.1:${port}/\n`);
} catch (error) {
  stderr.write(`Cannot listen: ${(error as Error).message}\n`);
  exit(2);
}
