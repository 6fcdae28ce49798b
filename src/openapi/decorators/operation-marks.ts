/** Metadata keys under which decorators leave what the OpenAPI document and the pipeline read of an operation. */
export const DEPRECATION = 'petstore:deprecation';

/** The name under which the document describes the API key; a requirement of an operation names it with its scopes. */
export const SECURITY_SCHEME = 'apiKey';
