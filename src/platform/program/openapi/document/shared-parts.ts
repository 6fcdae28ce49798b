import type { OpenAPIObject } from '@nestjs/swagger';
import { writeJson } from '../../../kernel/json/write-json.js';
import { responseName } from './error-responses.js';
import { operationsOf } from './paths.js';
import type { OperationObject, ResponseObject } from './schemas.js';

interface Reference {
  readonly $ref: string;
}

/** A part of an operation that a component can stand for. */
interface Place {
  readonly part: object;
  /** What the component may be called. The first one that is free is its name. */
  readonly names: readonly string[];
  readonly refer: (reference: Reference) => void;
}

/**
 * Makes components of the parameters, responses and headers that several operations have alike, and refers to
 * them. Parts that equal a component of the document refer to that. Changes the document.
 */
export function shareParts(document: OpenAPIObject): OpenAPIObject {
  const { parameters = {}, responses = {}, headers = {}, ...others } = document.components ?? {};
  const operations = operationsOf({ ...document.paths, ...(document.webhooks as OpenAPIObject['paths']) });
  const all = operations.map(({ operation }) => operation);
  const sharedParameters = share('parameters', parameters, all.flatMap(parametersIn));
  const sharedResponses = share('responses', responses, all.flatMap(responsesIn));
  // The headers come last: those of equal responses are in one place now.
  const sharedHeaders = share('headers', headers, headersIn(all, sharedResponses));
  document.components = {
    ...others,
    headers: sharedHeaders,
    responses: sharedResponses,
    parameters: sharedParameters,
  };
  return document;
}

/** Returns the components and those that it adds. */
function share<Part extends object>(
  kind: string,
  components: Readonly<Record<string, Part>>,
  places: readonly Place[],
): Record<string, Part> {
  const shared = new Map(Object.entries<object>(components));
  const known = new Map([...shared].map(([name, part]) => [keyOf(part), name]));
  for (const [key, [first, ...more]] of equalOnes(places)) {
    const free = more.length > 0 ? first.names.find((name) => !shared.has(name)) : undefined;
    const name = known.get(key) ?? free;
    if (name === undefined) continue;
    if (!shared.has(name)) shared.set(name, first.part);
    for (const { refer } of [first, ...more]) refer({ $ref: `#/components/${kind}/${name}` });
  }
  return Object.fromEntries(shared) as Record<string, Part>;
}

function equalOnes(places: readonly Place[]): Map<string, [Place, ...Place[]]> {
  const groups = new Map<string, [Place, ...Place[]]>();
  for (const place of places) {
    // A single line, such as the description of a response without headers, is no longer than a reference.
    if ('$ref' in place.part || Object.keys(place.part).length < 2) continue;
    const key = keyOf(place.part);
    const group = groups.get(key);
    if (group) group.push(place);
    else groups.set(key, [place]);
  }
  return groups;
}

const parametersIn = ({ parameters = [], operationId }: OperationObject): Place[] =>
  parameters.map((part, index) => ({
    part,
    names: namesOf('name' in part ? part.name : '', operationId),
    refer: refer(parameters, index),
  }));

const responsesIn = ({ responses, security = [], operationId }: OperationObject): Place[] =>
  Object.entries(responses as Readonly<Record<string, ResponseObject>>).map(([status, part]) => {
    // The examples of 403 name the scopes.
    const scopes = status === '403' ? security.flatMap((needed) => Object.values(needed).flat()) : [];
    const words = [responseName(status), ...contentsOf(part).filter(differsFrom(status)), ...scopes];
    return {
      part,
      names: namesOf(words.join('-'), operationId),
      refer: refer(responses, status),
    };
  });

/** openapi-typescript takes each header that is a reference for one that is always there, so only such are. */
function headersIn(
  operations: readonly OperationObject[],
  components: Readonly<Record<string, object>>,
): Place[] {
  const places = new Map<object, Place[]>();
  for (const { responses, operationId } of operations)
    for (const response of Object.values(responses as Readonly<Record<string, ResponseObject | Reference>>)) {
      const target = '$ref' in response ? components[response.$ref.split('/').at(-1) ?? ''] : response;
      const { headers = {} } = (target ?? {}) as ResponseObject;
      const found = Object.entries(headers).flatMap(([name, part]) =>
        'required' in part && part.required
          ? [{ part, names: namesOf(name, operationId), refer: refer(headers, name) }]
          : [],
      );
      if (!places.has(headers)) places.set(headers, found);
    }
  return [...places.values()].flat();
}

const refer = (parts: object, at: string | number) => (reference: Reference) => {
  Object.assign(parts, { [at]: reference });
};

/**
 * A name by itself, and for another part of that name also the operation that has it first: of two
 * parameters `sort`, `sort-listOrders`.
 */
function namesOf(name: string, operationId: string | undefined): string[] {
  const legal = name.replace(/[^\w.-]+/g, '.'); // as OpenAPI requires of the names of components
  return operationId === undefined ? [legal] : [legal, `${legal}-${operationId}`];
}

/** A module may give any other example. */
interface ErrorExample {
  readonly value?: { readonly details?: readonly ({ readonly field?: unknown } | null)[] | null } | null;
}

/** What tells a response from others of its status: the codes of an error with the field, or the schemas. */
const contentsOf = ({ content = {} }: ResponseObject): string[] =>
  Object.values(content).flatMap(({ schema, examples }) => {
    if (!examples) return schema && '$ref' in schema ? [schema.$ref.split('/').at(-1) ?? ''] : [];
    return Object.entries(examples).map(([code, example]) => {
      const field = (example as ErrorExample | null)?.value?.details?.[0]?.field;
      return typeof field === 'string' ? `${code}.${field}` : code;
    });
  });

/** `PreconditionFailed` says as much as `precondition_failed`. */
const differsFrom = (status: string) => (code: string) =>
  code.replaceAll('_', '') !== responseName(status).toLowerCase();

/** The same for equal parts, whatever the order of their members. */
const keyOf = (part: object): string => writeJson(sorted(part));

function sorted(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(sorted);
  if (typeof part !== 'object' || part === null) return part;
  const entries = Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, value]) => [name, sorted(value)]));
}
