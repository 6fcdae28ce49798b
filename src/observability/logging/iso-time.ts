let last = 0;
let text = '';

/** The time as pino's own `isoTime` writes it, made once for all lines of a millisecond: to make it takes 1 µs. */
export function isoTime(): string {
  const now = Date.now();
  if (now === last) return text;
  last = now;
  return (text = `,"time":"${new Date(now).toISOString()}"`);
}
