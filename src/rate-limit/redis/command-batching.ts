import type { Redis } from 'ioredis';
import { atEndOfTurn } from './end-of-turn.js';

/**
 * Sends the commands of one turn of the event loop in one packet. They wait for nothing: it leaves at the end of the turn.
 * Redis then responds to them together, so that the statements of their requests share a packet as well.
 */
export function batchCommands(redis: Redis): void {
  const send = redis.sendCommand.bind(redis);
  let isCorked = false;
  redis.sendCommand = (...command) => {
    if (!isCorked && redis.status === 'ready') {
      const { stream } = redis;
      isCorked = true;
      stream.cork();
      atEndOfTurn(() => {
        isCorked = false;
        stream.uncork();
      });
    }
    return send(...command);
  };
}
