/** The parts of an OpenAPI document that the contract test reads. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly anyOf?: readonly Schema[];
  readonly examples?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly 'x-further-rules'?: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: Schema;
}

export interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content<{ readonly schema: Schema }> };
  readonly responses: Readonly<Record<string, { readonly content?: Content<Examples> }>>;
  readonly security?: readonly object[];
  readonly 'x-further-rules'?: string;
}

/** By media type. */
export interface Content<T> {
  readonly 'application/json'?: T;
  readonly [type: string]: T | undefined;
}

interface Examples {
  readonly examples?: Readonly<Record<string, object>>;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Reference {
  readonly $ref: string;
}

/** Returns the part itself, or what it refers to, such as `#/components/schemas/Order`. */
export function resolve<T extends object>(document: Document, part: T | Reference): T {
  if (!isReference(part)) return part;
  const names = part.$ref.split('/').slice(1);
  return names.reduce<object>(
    (parent, name) => (parent as Record<string, object>)[name] ?? {},
    document,
  ) as T;
}

const isReference = (part: object): part is Reference => '$ref' in part;
