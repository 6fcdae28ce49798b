import { jest } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { eventually } from '../../../test/support/eventually.js';
import { pacedSocket } from './paced-socket.js';

const INTERVAL = 12_345;

describe('a paced socket', () => {
  let server: Server;
  let peer: Socket;
  let paced: ReturnType<typeof pacedSocket>;
  let received: string[];
  let timers: jest.Spied<typeof setTimeout>;

  beforeEach(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    paced = pacedSocket();
    received = [];
    paced.socket.on('data', (data) => received.push(data.toString()));
    const connected = once(server, 'connection') as Promise<[Socket]>;
    paced.socket.connect((server.address() as AddressInfo).port, '127.0.0.1');
    [peer] = await connected;
    timers = jest.spyOn(globalThis, 'setTimeout');
  });

  afterEach(() => {
    for (const { value } of timers.mock.results) clearTimeout(value as NodeJS.Timeout);
    timers.mockRestore();
    paced.socket.destroy();
    peer.destroy();
    server.close();
  });

  const send = async (...texts: string[]): Promise<void> => {
    for (const text of texts) await new Promise((sent) => peer.write(text, sent));
    for (let turns = 0; turns < 20; turns++) await setImmediate(); // in which it could be read
  };
  const waits = () => timers.mock.calls.filter(([, time]) => time === INTERVAL);
  const passInterval = (): void => {
    waits().at(-1)?.[0]();
  };

  it('reads what has come at once, and then all of an interval together', async () => {
    paced.pace(INTERVAL);
    await send('one');
    await eventually(() => received.length === 1);
    await send('two', 'three');
    expect(received).toEqual(['one']);
    passInterval();
    await eventually(() => received.length === 2);
    expect(received).toEqual(['one', 'twothree']);
    expect(waits()).toHaveLength(2);
  });

  it('loses nothing of more than it can read at a time', async () => {
    const text = Array.from({ length: 50_000 }, (_, i) => `${i} `).join('');
    paced.pace(INTERVAL);
    const sent = send(text);
    for (let reads = 1; received.join('').length < text.length; reads++) {
      await eventually(() => waits().length === reads);
      passInterval();
    }
    await sent;
    expect(received.length).toBeGreaterThan(1);
    expect(received.join('')).toBe(text);
  });

  it('does not wait until it is told to', async () => {
    await send('one');
    await eventually(() => received.join('') === 'one');
    await send('two');
    await eventually(() => received.join('') === 'onetwo');
    expect(waits()).toEqual([]);
  });

  it('notices the end of the connection after the interval', async () => {
    paced.pace(INTERVAL);
    const closed = once(paced.socket, 'close');
    await send('one');
    await eventually(() => received.length === 1);
    peer.end();
    passInterval();
    await closed;
  });
});
