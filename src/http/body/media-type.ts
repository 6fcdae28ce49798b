/**
 * Whether a `Content-Type` says JSON in UTF-8. JSON defines no parameters (RFC 8259, section 11), so only a charset
 * that contradicts is a reason to refuse. Split, not matched: a long header must not cost more than its length.
 */
export function isJsonMediaType(contentType: string): boolean {
  const [type, ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  return type === 'application/json' && parameters.every(isHarmless);
}

function isHarmless(parameter: string): boolean {
  const [name = '', value = ''] = parameter.split('=', 2).map((part) => part.trim());
  return name !== 'charset' || value === 'utf-8' || value === '"utf-8"';
}
