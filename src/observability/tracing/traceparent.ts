/** The trace that a request belongs to. */
interface Trace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The span of the client: 16 hexadecimal digits. */
  readonly spanId: string;
  readonly sampled: boolean;
}

/** Later versions may append fields; `ff` is not a version. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;

/** Parses a `traceparent` header; `undefined` if it is invalid (W3C Trace Context, section 3.2). */
export function traceOf(header: string | string[] | undefined): Trace | undefined {
  if (typeof header !== 'string') return undefined;
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(header) ?? [];
  if (!traceId || !spanId || !flags || isZero(traceId) || isZero(spanId)) return undefined;
  if (version === '00' && more !== undefined) return undefined;
  return { traceId, spanId, sampled: (parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

const isZero = (id: string): boolean => /^0+$/.test(id);
