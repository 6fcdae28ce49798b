import type { RequestHandler } from 'express';

/**
 * What the page of the Swagger UI may do: nothing but its own scripts, and calls to its own origin and the given ones.
 * Styles may be inline, because the library's page has its own there.
 */
export function securityHeaders(callable: readonly string[]): RequestHandler {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src ${["'self'", ...callable].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return (_request, response, next) => {
    response.setHeader('Content-Security-Policy', policy);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Referrer-Policy', 'no-referrer');
    next();
  };
}
