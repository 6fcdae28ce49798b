// Opens connections, sends the bytes of a shape on all of them at once, and counts the status lines that come back.
import { setMaxListeners } from 'node:events';
import { connect } from 'node:net';
import { PACKETS, SHAPES } from './shapes.mjs';

const { name, port, key, exhausted, count } = JSON.parse(process.argv[2]);
const shape = SHAPES[name] ?? PACKETS[name];
const connections = shape.count ?? count;
/** Milliseconds without a byte after which a packet of requests has been answered. */
const QUIET = 2_000;
const statuses = {};
const tally = (what) => (statuses[what] = (statuses[what] ?? 0) + 1);

const open = () =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket)).on('error', ({ code }) => {
      tally(code);
      resolve(socket);
    });
  });

const sockets = [];
for (let i = 0; i < connections; i += 50)
  sockets.push(...(await Promise.all(Array.from({ length: Math.min(50, connections - i) }, open))));
process.send('ready');
await new Promise((resolve) => process.once('message', resolve));

const patience = AbortSignal.timeout(shape.hold ? 3_000 : 60_000);
setMaxListeners(0, patience);
await Promise.all(
  sockets.map(
    (socket, n) =>
      new Promise((resolve) => {
        socket.on('close', resolve);
        if (shape.count) socket.setTimeout(QUIET, () => socket.destroy());
        socket.on('data', (chunk) => {
          for (const [, status] of String(chunk).matchAll(/HTTP\/1\.[01] (\d{3})/g)) tally(status);
          if (!shape.count) socket.end();
        });
        patience.addEventListener('abort', () => socket.destroy());
        socket.write(shape.bytes(shape.exhausted ? exhausted : key, n));
        if (shape.after === 'end') socket.end();
        if (shape.after === 'reset') setTimeout(() => socket.destroy(), 3);
      }),
  ),
);
process.send(statuses);
process.disconnect();
