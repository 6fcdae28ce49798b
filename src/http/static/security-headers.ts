interface Needs {
  /** Origins that the page may call beside its own. */
  readonly callable?: readonly string[];
  /** Whether its script may start workers that it makes itself. */
  readonly workers?: boolean;
}

/**
 * A page of the documentation may run its own scripts, and call its own origin and the given ones.
 * Styles may be inline, because the libraries set their own there.
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
