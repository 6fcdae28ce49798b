let last = 0;
let text = '';

/** Like `isoTime` of pino, but formatted once per millisecond: formatting takes 1 µs. */
export function isoTime(): string {
  const now = Date.now();
  if (now === last) return text;
  last = now;
  return (text = `,"time":"${new Date(now).toISOString()}"`);
}
