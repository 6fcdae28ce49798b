import type { Type } from '@nestjs/common';
import { describeWebhook } from '../openapi/decorators/webhooks.js';

/** A module that records events adds their types at the end. */
export const EVENT_TYPES = [
  'pet.created',
  'pet.updated',
  'pet.status_changed',
  'pet.deleted',
  'category.created',
  'category.updated',
  'category.deleted',
  'order.placed',
  'order.approved',
  'order.delivered',
  'order.cancelled',
] as const;

export type EventTypeName = (typeof EVENT_TYPES)[number];

/** The DTO of an event, which makes it from the row. */
export interface EventData<Row, Data extends object> extends Type<Data> {
  /** @param before the row before the change */
  from(row: Row, before: Row): Data;
}

/** A type of event, and the shape of its `data`. */
export interface EventType<Row, Data extends object = object> {
  readonly name: EventTypeName;
  /** Of the schema of `data`. A breaking change increases it. */
  readonly version: number;
  readonly data: EventData<Row, Data>;
  /** For the OpenAPI document. */
  readonly description: string;
}

const declared = new Set<EventTypeName>();

/**
 * Declares a type of event, and has the document describe it. A feature declares its types in a file of its own, and its service hands them to
 * `Changes`.
 * @throws Error for a type that is declared already
 */
export function eventType<Row, Data extends object>(
  name: EventTypeName,
  data: EventData<Row, Data>,
  { version = 1, description }: { readonly version?: number; readonly description: string },
): EventType<Row, Data> {
  if (declared.has(name)) throw new Error(`The type of event ${name} is declared twice`);
  declared.add(name);
  describeWebhook({ name, version, data, description });
  return { name, version, data, description };
}
