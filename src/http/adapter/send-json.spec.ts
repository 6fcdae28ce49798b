import { jest } from '@jest/globals';
import type { Response } from 'express';
import { setImmediate as turn } from 'node:timers/promises';
import { endTogether } from './send-json.js';

const sent: string[] = [];
const response = (name: string, parts: object = {}) =>
  ({
    writeHead: () => undefined,
    end: (text: string) => sent.push(`${name} ${text}`),
    ...parts,
  }) as unknown as Response; // only what it uses
const failing = (error: Error) => () => {
  throw error;
};

beforeEach(() => {
  sent.length = 0;
});

describe('endTogether', () => {
  it('sends all responses of a turn of the event loop at its end, in order', async () => {
    endTogether(response('first'), 'one');
    await Promise.resolve();
    endTogether(response('second'), 'two');
    expect(sent).toEqual([]);
    await turn();
    expect(sent).toEqual(['first one', 'second two']);
  });

  it('closes the connection of a failing response, and sends the others', async () => {
    const error = new Error('broken');
    const destroy = jest.fn();
    endTogether(response('broken', { end: failing(error), destroy }), 'one');
    endTogether(response('other'), 'two');
    await turn();
    expect(sent).toEqual(['other two']);
    expect(destroy).toHaveBeenCalledWith(error);
  });

  it('throws immediately for an invalid header', async () => {
    const broken = response('broken', { writeHead: failing(new RangeError('Invalid status code: 99')) });
    expect(() => {
      endTogether(broken, 'one');
    }).toThrow('Invalid status code');
    endTogether(response('other'), 'two');
    await turn();
    expect(sent).toEqual(['other two']);
  });
});
