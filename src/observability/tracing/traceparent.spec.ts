import { traceOf } from './traceparent.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('traceparent', () => {
  it('is read', () => {
    expect(traceOf(`00-${TRACE}-${SPAN}-01`)).toEqual({ traceId: TRACE, spanId: SPAN, sampled: true });
  });

  it.each([
    ['00', false],
    ['02', false],
    ['03', true],
  ])('says by the last bit of its flags %s whether it is sampled: %s', (flags, sampled) => {
    expect(traceOf(`00-${TRACE}-${SPAN}-${flags}`)?.sampled).toBe(sampled);
  });

  it('may have more members in a later version', () => {
    expect(traceOf(`cc-${TRACE}-${SPAN}-01-what-ever`)?.traceId).toBe(TRACE);
  });

  it.each([
    ['missing', undefined],
    ['sent twice', [`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`]],
    ['empty', ''],
    ['of version ff', `ff-${TRACE}-${SPAN}-01`],
    ['longer than version 00 is', `00-${TRACE}-${SPAN}-01-more`],
    ['in capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['without a trace', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['without a span', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['cut short', `00-${TRACE}-${SPAN}`],
  ])('is left alone where it is %s', (_, header) => {
    expect(traceOf(header)).toBeUndefined();
  });
});
