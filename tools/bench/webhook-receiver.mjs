// The endpoints for tools/bench/webhooks.mjs. They respond 204 and print how late messages are, in milliseconds.
import { createServer } from 'node:http';

let late = [];
setInterval(() => {
  if (late.length > 0) process.stdout.write(`${late.join(' ')}\n`);
  late = [];
}, 50);

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { occurredAt } = JSON.parse(Buffer.concat(chunks));
    late.push(Date.now() - Date.parse(occurredAt));
    response.writeHead(204).end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`);
});
