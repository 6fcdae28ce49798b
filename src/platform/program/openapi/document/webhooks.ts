import type { Type } from '@nestjs/common';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { declaredEventTypes, type EventType } from '../../../writes/unit-of-work/event-type.js';
import { titleOf } from '../../../kernel/naming/words.js';
import type { OperationObject, ParameterObject, SchemaObject, SchemasObject } from './schemas.js';

/** The library's type lacks `const` and `examples` of JSON Schema. */
type Schema = SchemaObject & { readonly const?: string | number; readonly examples?: readonly unknown[] };

/** A request that the service sends to webhooks: an event, or a ping. */
export type Delivered = Omit<EventType<never>, 'data'> & {
  /** The DTO of `data`. */
  readonly data: Type;
  /** The description of its `id`, if it is not the id in the feed. */
  readonly id?: string;
};

const deliveredTypes = (pings: readonly Delivered[]): Delivered[] =>
  [...declaredEventTypes(), ...pings].toSorted((one, other) => (one.name < other.name ? -1 : 1));

/** The DTOs of events. They must be listed, because operations need not refer to them. */
export const webhookModels = (pings: readonly Delivered[]) => deliveredTypes(pings).map(({ data }) => data);

/**
 * The `webhooks` of the document, one for each type of event. Also adds their schemas, which the feed needs
 * even where no module sends anything.
 */
export function webhooks(
  schemas: SchemasObject,
  pings: readonly Delivered[],
): NonNullable<OpenAPIObject['webhooks']> {
  const operations = deliveredTypes(pings).map((webhook) => {
    const schema = `${inPascalCase(webhook.name)}Event`;
    schemas[schema] = eventSchema(webhook);
    return [webhook.name, { post: operationOf(webhook, schema) }] as const;
  });
  return pings.length > 0 ? Object.fromEntries(operations) : {};
}

/** The tag of webhooks. It differs from the tag of the operations that manage subscriptions. */
export const CALLBACKS = {
  name: 'callbacks',
  description: 'Events that the service sends to your webhooks',
};

/** `pet.status_changed` becomes `PetStatusChanged`. */
const inPascalCase = (name: string): string =>
  name.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());

function operationOf({ name, description }: Delivered, schema: string): OperationObject {
  return {
    operationId: `on${inPascalCase(name)}`,
    tags: [CALLBACKS.name],
    summary: titleOf(name),
    description:
      `${description}\n\nSigned according to [Standard Webhooks](https://www.standardwebhooks.com). It may arrive more than ` +
      'once and out of order.',
    security: [],
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
    },
    responses: {
      '2XX': { description: 'The event was delivered.' },
      '410': { description: 'The webhook is disabled and receives nothing more.' },
      default: { description: 'The delivery is retried later. Redirects are not followed.' },
    },
  };
}

const header = (
  name: string,
  description: string,
  example: string,
  schema: SchemaObject = { type: 'string' },
): ParameterObject => ({ name, in: 'header', required: true, description, schema, example });

const HEADERS = [
  header(
    'webhook-id',
    'Identifies the message; the same for every attempt. For an event, this is its `id`.',
    '4711',
  ),
  header('webhook-timestamp', 'When the attempt was made (Unix time in seconds).', '1795132800', {
    type: 'string',
    pattern: '^\\d+$',
  }),
  header(
    'webhook-signature',
    'HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` with the secret, base64-encoded after `v1,`. For ' +
      '24 hours after a rotation there are two, separated by a space.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

function eventSchema({ name, version, data, description, id }: Delivered): Schema {
  const properties: Record<string, Schema | { $ref: string }> = {
    id: {
      type: 'integer',
      format: 'int64',
      description: id ?? 'Ascending in the order of the feed.',
      examples: [4711],
    },
    type: { type: 'string', const: name, description: 'Type of the event.', examples: [name] },
    version: {
      type: 'integer',
      format: 'int32',
      const: version,
      description: 'Version of the schema of `data`.',
      examples: [version],
    },
    occurredAt: {
      type: 'string',
      format: 'date-time',
      description: 'When it happened (RFC 3339, UTC).',
      examples: ['2026-11-20T09:30:00.000Z'],
    },
    data: { $ref: getSchemaPath(data) },
  };
  return {
    type: 'object',
    description,
    required: ['id', 'type', 'version', 'occurredAt', 'data'],
    properties,
  };
}
