const windows = new Map();

/** The quota of the peers on Express: counts a request in the minute of its key, and sets the headers. */
export function countRequest({ key }, response) {
  const now = Date.now();
  let window = windows.get(key.id);
  if (!window || window.end < now) windows.set(key.id, (window = { used: 0, end: now + 60_000 }));
  window.used += 1;
  response.setHeader('X-RateLimit-Limit', key.perMinute);
  response.setHeader('X-RateLimit-Remaining', key.perMinute - window.used);
  response.setHeader('X-RateLimit-Reset', Math.ceil(window.end / 1000));
}
