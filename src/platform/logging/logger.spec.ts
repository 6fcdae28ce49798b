import { Logger as NestLogger } from '@nestjs/common';
import { Logger } from './logger.js';

/** The line of a call on Nest's logger with the context `Suppliers`. */
function lineOf(call: (logger: NestLogger) => void): unknown {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  NestLogger.overrideLogger(new Logger({ logLevel: 'info' }, destination));
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
  ])('logs %s with its context', (_, call, line) => {
    expect(lineOf(call)).toMatchObject({ context: 'Suppliers', ...line });
  });
});
