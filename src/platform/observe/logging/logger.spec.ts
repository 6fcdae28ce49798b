import { Logger as NestLogger } from '@nestjs/common';
import { Logger } from './logger.js';

/** The line of a call on Nest's logger with the context `Suppliers`. */
function lineOf(call: (logger: NestLogger) => void): unknown {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  NestLogger.overrideLogger(new Logger({ logLevel: 'info', logAddresses: true }, destination));
  call(new NestLogger('Suppliers'));
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? '');
}

const error = new Error('why');

describe('Logger', () => {
  it.each<[string, (logger: NestLogger) => void, object]>([
    [
      'a message',
      (logger) => {
        logger.log('text');
      },
      { level: 'info', msg: 'text' },
    ],
    [
      'an object',
      (logger) => {
        logger.log({ supplier: 7 });
      },
      { supplier: 7 },
    ],
    [
      'an error',
      (logger) => {
        logger.error(error);
      },
      { level: 'error', msg: 'why', stack: error.stack },
    ],
    [
      'a stack',
      (logger) => {
        logger.error('text', error.stack);
      },
      { msg: 'text', stack: error.stack },
    ],
    [
      'a message with its error',
      (logger) => {
        logger.error('text', error);
      },
      { msg: 'text', stack: error.stack },
    ],
    [
      'a message with values',
      (logger) => {
        logger.warn('text', { supplier: 7 }, 8);
      },
      { msg: 'text', values: [{ supplier: 7 }, 8] },
    ],
    [
      'further texts',
      (logger) => {
        logger.log('a', 'b', 'c');
      },
      { msg: 'a', values: ['b', 'c'] },
    ],
    [
      'the text of an error that is no stack',
      (logger) => {
        logger.error('text', 'why');
      },
      { msg: 'text', values: ['why'] },
    ],
    [
      'an error inside an object',
      (logger) => {
        logger.warn({ job: 'clear', error });
      },
      { job: 'clear', error: { name: 'Error', message: 'why', stack: error.stack } },
    ],
    [
      'errors inside values, without their own properties',
      (logger) => {
        const failed = Object.assign(new TypeError('why'), { parameters: ['secret'] });
        logger.warn('text', { all: [{ failed }] });
      },
      {
        values: [
          { all: [{ failed: { name: 'TypeError', message: 'why', stack: expect.any(String) as string } }] },
        ],
      },
    ],
  ])('logs %s with its context', (_, call, line) => {
    expect(lineOf(call)).toMatchObject({ context: 'Suppliers', ...line });
  });

  it('loses nothing of a call without a logger of its own, whose last text is the context', () => {
    const line = lineOf(() => {
      NestLogger.log('a', 'b', 'c');
    });
    expect(line).toMatchObject({ msg: 'a', values: ['b'], context: 'c' });
    expect(line).not.toHaveProperty('stack');
  });

  it('writes a value that holds itself', () => {
    const value: Record<string, unknown> = { error };
    value.self = value;
    expect(() =>
      lineOf((logger) => {
        logger.log(value);
      }),
    ).not.toThrow();
  });
});
