/** Metadata keys under which decorators leave what the OpenAPI document and the pipeline read of an operation. */
export const DEPRECATION = 'petstore:deprecation';
