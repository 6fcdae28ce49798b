import { Logger } from '@nestjs/common';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { DataSource } from 'typeorm';
import { connectionOptions } from '../../data/database/pool/connection-options.js';
import type { ApiKeyResolver } from './api-key-resolver.js';
import { TimeLimits } from '../../kernel/clock/time-limits.js';
import { KeyChangesListener } from './key-changes.listener.js';

/** Accepts connections and never answers, as a frozen PostgreSQL does. */
let frozen: Server;
let warn: jest.SpiedFunction<Logger['warn']>;

beforeEach(async () => {
  warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
  frozen = createServer().listen(0, '127.0.0.1');
  await once(frozen, 'listening');
});
afterEach(() => {
  warn.mockRestore();
  frozen.close();
});

const listener = (): KeyChangesListener => {
  const url = `postgres://petstore@127.0.0.1:${(frozen.address() as AddressInfo).port}/petstore`;
  return new KeyChangesListener(
    new DataSource(connectionOptions(url)),
    {} as ApiKeyResolver,
    new TimeLimits(),
  ); // no key changes
};

describe('KeyChangesListener', () => {
  it('does not warn of a connection that a stop interrupts', async () => {
    const keyChanges = listener();
    const started = keyChanges.onApplicationBootstrap();
    const [socket] = (await once(frozen, 'connection')) as [Socket];
    await keyChanges.onApplicationShutdown();
    await started;
    socket.destroy();
    expect(warn).not.toHaveBeenCalled();
  });

  it('warns of a connection that is lost before it is open, and starts without it', async () => {
    const keyChanges = listener();
    const started = keyChanges.onApplicationBootstrap();
    const [socket] = (await once(frozen, 'connection')) as [Socket];
    socket.destroy();
    await started;
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('Cannot listen for changes of keys'));
    await keyChanges.onApplicationShutdown();
  });
});
