import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Content, type Document, type Operation, resolve } from './document.js';

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

interface Header {
  readonly required?: boolean;
  readonly schema: { readonly type: string };
}

interface Response {
  readonly headers: Readonly<Record<string, Header | { readonly $ref: string }>>;
  readonly content?: Content<{ readonly schema: object }>;
}

/** Formats of JSON Schema and OpenAPI that modules may use, and that say nothing here. */
const ANNOTATIONS = [
  'binary',
  'byte',
  'decimal',
  'double',
  'duration',
  'float',
  'hostname',
  'ipv4',
  'ipv6',
  'password',
  'time',
];

/** Checks responses against the document. */
export class ResponseValidator {
  private readonly ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    formats: {
      int32: true,
      int64: true,
      'uri-reference': true,
      // Ajv warns of each schema with a format that it does not know.
      ...Object.fromEntries(ANNOTATIONS.map((format) => [format, true])),
      email: /^[^\s@]+@[^\s@]+$/,
      uuid: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i,
      uri: (text) => URL.canParse(text),
      date: /^\d{4}-\d\d-\d\d$/,
      'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
    },
  });
  private readonly known = new Map<object, ValidateFunction>();

  constructor(private readonly document: Document) {
    this.ajv.addSchema(document, 'openapi');
  }

  /** Lists where a response differs from the document. */
  faults(operation: Operation, { status, headers, body }: ReceivedResponse): string[] {
    // A wrong method is not an operation; its response is like any other error.
    const declared = operation.responses[status === 405 ? '400' : `${status}`];
    if (!declared) return [`status ${status} is not declared`];
    const response = resolve(this.document, declared as Response);
    return [
      ...this.contentFaults(response.content, headers['content-type'], body),
      ...Object.entries(response.headers).flatMap(([name, header]) =>
        this.headerFaults(name, header, headers),
      ),
    ];
  }

  private contentFaults(content: Response['content'], type: string | undefined, body: unknown): string[] {
    const mediaType = type?.split(';')[0] ?? '';
    const declared = content?.[mediaType];
    if (!declared)
      return content || type !== undefined
        ? [
            `is ${type ?? 'nothing'}, but the document of the operation has no such body: see @Created() or @ApiOkResponse()`,
          ]
        : [];
    if (mediaType !== 'application/json') return [];
    const matches = this.validator(declared.schema);
    return matches(body) ? [] : [this.ajv.errorsText(matches.errors, { dataVar: 'body' })];
  }

  private headerFaults(
    name: string,
    declared: Header | { $ref: string },
    headers: ReceivedResponse['headers'],
  ) {
    const { required, schema } = resolve<Header>(this.document, declared);
    const value = headers[name.toLowerCase()];
    if (value === undefined) return required === true ? [`${name} is missing`] : [];
    const matches = this.validator(schema);
    const typed = schema.type === 'integer' && /^\d+$/.test(value) ? Number(value) : value;
    return matches(typed) ? [] : [`${name}: ${value}`];
  }

  private validator(schema: object): ValidateFunction {
    let validator = this.known.get(schema);
    if (!validator) this.known.set(schema, (validator = this.ajv.compile(absolute(schema))));
    return validator;
  }
}

/** A part of the document on its own refers to the rest by the document's name. */
const absolute = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#', '"$ref":"openapi#')) as object;
