import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

/** Serves all endpoints of webhooks, and notes how long after its event each message arrived. */
export async function startReceiver() {
  const receiver = { lateness: [] };
  const server = createServer(async (request, response) => {
    const { occurredAt } = await json(request);
    receiver.lateness.push(Date.now() - Date.parse(occurredAt));
    response.writeHead(204).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  receiver.origin = `http://127.0.0.1:${server.address().port}`;
  receiver.stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return receiver;
}
