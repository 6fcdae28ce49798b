import type { OpenAPIObject } from '@nestjs/swagger';

/** Parts of a document, by way of the whole: the library exports only that. */
export type PathItemObject = OpenAPIObject['paths'][string];
export type OperationObject = NonNullable<PathItemObject['get']>;
export type ResponseObject = Exclude<OperationObject['responses'][string], { $ref: string } | undefined>;
export type HeadersObject = NonNullable<ResponseObject['headers']>;
export type SchemasObject = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
export type SchemaOrReference = SchemasObject[string];
export type SchemaObject = Exclude<SchemaOrReference, { $ref: string }>;
export type ParameterObject = Exclude<NonNullable<OperationObject['parameters']>[number], { $ref: string }>;
