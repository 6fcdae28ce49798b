import { jest } from '@jest/globals';
import { reachServer } from './reach-server.js';
import type { Server } from './server.js';

describe('reachServer', () => {
  it('gives up on a server that another process keeps starting and stopping', async () => {
    const now = jest.spyOn(Date, 'now');
    let time = 0;
    now.mockImplementation(() => (time += 10_000)); // milliseconds
    const server = { running: () => Promise.resolve(undefined), start: () => Promise.resolve(false) };
    const use = () => Promise.reject(new Error('it is not running'));
    await expect(reachServer(server as unknown as Server, '', {}, use)).rejects.toThrow(
      'stops again and again',
    );
    now.mockRestore();
  });
});
