import { jest } from '@jest/globals';
import type { Response } from 'express';
import { setImmediate as turn } from 'node:timers/promises';
import { endInBatch } from './response-batching.js';

describe('endInBatch', () => {
  const sent: string[] = [];
  const response = (name: string) =>
    ({ writeHead: jest.fn(), end: (body: string) => sent.push(`${name} ${body}`) }) as unknown as Response;

  beforeEach(() => {
    sent.length = 0;
  });

  it('sends what is ready in a turn of the event loop at its end, in order', async () => {
    endInBatch(response('first'), 'one');
    await Promise.resolve();
    endInBatch(response('second'), 'two');
    expect(sent).toEqual([]);
    await turn();
    expect(sent).toEqual(['first one', 'second two']);
  });

  it('fails at once, and alone, where the head is wrong', async () => {
    const broken = {
      writeHead: () => {
        throw new RangeError('Invalid status code: 99');
      },
    } as unknown as Response;
    expect(() => {
      endInBatch(broken, 'one');
    }).toThrow('Invalid status code');
    endInBatch(response('other'), 'two');
    await turn();
    expect(sent).toEqual(['other two']);
  });

  it('keeps what becomes ready while it sends for the next turn', async () => {
    const late = response('late');
    const early = {
      writeHead: jest.fn(),
      end: () => {
        endInBatch(late, 'two');
      },
    } as unknown as Response;
    endInBatch(early, 'one');
    await turn();
    expect(sent).toEqual([]);
    await turn();
    expect(sent).toEqual(['late two']);
  });
});
