/** The name under which the document describes the API key; a requirement of an operation names it with its scopes. */
export const SECURITY_SCHEME = 'apiKey';
