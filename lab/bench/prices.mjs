import { once } from 'node:events';
import { openSync, closeSync, writeSync } from 'node:fs';
import { connect, createServer } from 'node:net';

const CALLS = 5_000;
const BATCHES = 20;

/**
 * What system calls cost on this host, the least of several batches, in words. They are a third of a list for every server, and
 * differ between hosts by a factor of ten; so, ratios are comparable only between hosts of similar prices.
 */
export async function callPrices() {
  const nowhere = openSync('/dev/null', 'w');
  const simplest = await micros(nowhere, 1);
  closeSync(nowhere);
  const server = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect(server.address().port, '127.0.0.1');
  await once(socket, 'connect');
  socket.setNoDelay();
  const ofSocket = await micros(socket._handle.fd, 100);
  socket.destroy();
  server.close();
  return { prices: `a system call ${simplest.toFixed(1)} us, a write to a socket ${ofSocket.toFixed(1)} us` };
}

/** CPU time of one write of `size` bytes. It waits between batches, so that what was written is read. */
async function micros(fd, size) {
  const bytes = Buffer.alloc(size);
  const times = [];
  for (let batch = 0; batch < BATCHES; batch++) {
    const before = process.cpuUsage();
    for (let i = 0; i < CALLS / size + 100; i++) writeSync(fd, bytes);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / Math.ceil(CALLS / size + 100));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return Math.min(...times);
}
