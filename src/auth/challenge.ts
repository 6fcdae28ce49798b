/** The value of `WWW-Authenticate` (RFC 6750, section 3). */
export const challenge = (parameters: Readonly<Record<string, string>> = {}): string =>
  `Bearer ${Object.entries({ realm: 'petstore', ...parameters })
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`;
