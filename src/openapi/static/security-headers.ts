interface Needs {
  /** Origins, other than its own, that the page may call. */
  readonly callable?: readonly string[];
  /** Whether the page may start workers from `blob:` URLs. */
  readonly workers?: boolean;
}

/**
 * The security headers of a documentation page. It may run its own scripts and call its own origin and the given ones. The
 * libraries need inline styles.
 */
export function securityHeaders({ callable = [], workers = false }: Needs = {}): ReadonlyMap<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    ...(workers ? ['worker-src blob:'] : []),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src ${["'self'", ...callable].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return new Map([
    ['Content-Security-Policy', policy],
    ['X-Content-Type-Options', 'nosniff'],
    ['Referrer-Policy', 'no-referrer'],
  ]);
}
