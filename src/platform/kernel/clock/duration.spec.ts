import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { withTimeout } from './duration.js';

describe('a result with a timeout', () => {
  const never = new Promise(() => undefined);

  it('is an error if it takes longer', async () => {
    await expect(withTimeout(never, 1)).rejects.toThrow('no response in time');
  });

  it('is what the caller wants if it takes longer', async () => {
    expect(await withTimeout(never, 1, () => 'late')).toBe('late');
  });

  it('counts if it arrived in time, but the process was too busy to read it', async () => {
    await setImmediate(); // after this, timers run before anything is read
    const { port1, port2 } = new MessageChannel();
    const result = withTimeout(once(port2, 'message'), 1);
    port1.postMessage('in time');
    for (const end = performance.now() + 50; performance.now() < end;);
    expect(await result).toBeDefined();
    port1.close();
  });
});
