import { ServiceUnavailable } from '../errors/common.errors.js';
import { Slots } from './slots.js';

const WAIT = 60_000; // no test reaches it

/** The names in the order in which their works began. */
function recorder(slots: Slots) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const run = (name: string) =>
    slots.run(name, () => {
      begun.push(name);
      return new Promise<void>((end) => ends.push(end));
    });
  const pass = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  return { begun, run, pass, endFirst: () => ends.shift()?.() };
}

describe('slots', () => {
  it('give each client its own, and let the next one wait in order', async () => {
    const { begun, run, pass, endFirst } = recorder(new Slots({ perClient: 2, wait: WAIT }));
    void Promise.all([run('a'), run('a'), run('a'), run('b')]);
    await pass();
    expect(begun).toEqual(['a', 'a', 'b']);
    endFirst();
    await pass();
    expect(begun).toEqual(['a', 'a', 'b', 'a']);
  });

  it('go to the client that was served longest ago, if all are taken', async () => {
    const { begun, run, pass, endFirst } = recorder(new Slots({ perClient: 2, total: 2, wait: WAIT }));
    void Promise.all([run('a'), run('a'), run('a'), run('a'), run('b'), run('c')]);
    await pass();
    for (let i = 0; i < 4; i++) {
      endFirst();
      await pass();
    }
    expect(begun).toEqual(['a', 'a', 'b', 'c', 'a', 'a']);
  });

  it('begin the next work in a new pass of the event loop', async () => {
    const slots = new Slots({ perClient: 1, wait: WAIT });
    expect(slots.enter('a')).toBeUndefined();
    const waiting = slots.enter('a');
    const events: string[] = [];
    void waiting?.admitted.then(() => events.push('admitted'));
    slots.leave('a');
    await Promise.resolve().then(() => events.push('microtasks'));
    await waiting?.admitted;
    expect(events).toEqual(['microtasks', 'admitted']);
  });

  it('are refused after the time to wait, if too many wait, if cancelled, and when they close', async () => {
    const slots = new Slots({ perClient: 1, maxWaiting: 2, wait: WAIT });
    expect(slots.enter('a')).toBeUndefined();
    const impatient = new Slots({ perClient: 1, wait: 0 });
    expect(impatient.enter('a')).toBeUndefined();
    await expect(impatient.enter('a')?.admitted).rejects.toThrow(ServiceUnavailable);
    const [first, second] = [slots.enter('a'), slots.enter('a')];
    expect(() => slots.enter('a')).toThrow(ServiceUnavailable);
    first?.cancel();
    await expect(first?.admitted).rejects.toThrow(ServiceUnavailable);
    slots.close();
    await expect(second?.admitted).rejects.toThrow(ServiceUnavailable);
    expect(() => slots.enter('a')).toThrow(ServiceUnavailable);
    slots.leave('a');
    expect(slots.enter('a')).toBeUndefined();
  });
});
