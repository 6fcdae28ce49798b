import type { OpenAPIObject } from '@nestjs/swagger';
import { planEntries, planNames } from '../../../access/plans/plans.js';
import { declaredEventTypes } from '../../../writes/unit-of-work/event-type.js';
import { examplePath, PLACES, service } from '../../../kernel/config/service.js';

/**
 * Puts the names of the service where the metadata of a decorator has left a place for them: in the values and
 * examples of schemas, in the examples of headers and in the descriptions of operations.
 */
export function fillPlaces(document: OpenAPIObject): OpenAPIObject {
  for (const schema of Object.values(document.components?.schemas ?? {})) {
    fill(schema as Part);
    for (const property of Object.values((schema as Part).properties ?? {})) fill(property);
  }
  for (const path of Object.values(document.paths))
    for (const operation of Object.values(path as Record<string, Part>)) {
      operation.description = operation.description?.replace(PLACES.webhooks, webhooksByPlan);
      for (const response of Object.values(operation.responses ?? {}))
        for (const header of Object.values(response.headers ?? {})) fill(header);
    }
  return document;
}

interface Part {
  description?: string;
  enum?: unknown;
  example?: unknown;
  items?: unknown;
  readonly properties?: Readonly<Record<string, Part>>;
  readonly responses?: Readonly<Record<string, { readonly headers?: Readonly<Record<string, Part>> }>>;
}

/** How many webhooks a key may have. */
const webhooksByPlan = (): string =>
  planEntries()
    .map(
      ([plan, { webhooks }], i) =>
        `${webhooks} ${i === 0 ? `of them with the ${plan} plan` : `with ${plan}`}`,
    )
    .join(', ');

function fill(part: Part): void {
  if (Array.isArray(part.enum) && part.enum.includes(PLACES.plans)) part.enum = planNames();
  if (part.example !== undefined) part.example = filled(part.example);
  if (typeof part.items === 'object' && part.items !== null) fill(part.items);
}

/** Examples are texts, or lists of texts, where they have a place. */
function filled(example: unknown): unknown {
  if (Array.isArray(example))
    return example.map((one: unknown) => (typeof one === 'string' ? filled(one) : one));
  if (typeof example !== 'string') return example;
  const [event] = declaredEventTypes();
  return example
    .replace(PLACES.prefix, service().prefix)
    .replace(PLACES.path, examplePath())
    .replace(PLACES.plan, planNames()[0] ?? '')
    .replace(PLACES.event, event?.name ?? 'thing.created');
}
