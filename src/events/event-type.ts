import type { Type } from '@nestjs/common';

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

/** A type of event, and the shape of its `data`. */
export interface EventType<Data extends object> {
  readonly name: EventTypeName;
  /** Of the schema of `data`. A breaking change increases it. */
  readonly version: number;
  /** The DTO of `data`. */
  readonly data: Type<Data>;
  /** For the OpenAPI document. */
  readonly description: string;
}

const types = new Map<EventTypeName, EventType<object>>();

/**
 * Declares a type of event. A feature declares its types in a file of its own, and its service hands them to
 * `EventsService.record`.
 * @throws Error for a type that is declared already
 */
export function eventType<Data extends object>(
  name: EventTypeName,
  data: Type<Data>,
  { version = 1, description }: { readonly version?: number; readonly description: string },
): EventType<Data> {
  if (types.has(name)) throw new Error(`The type of event ${name} is declared twice`);
  const type = { name, version, data, description };
  types.set(name, type);
  return type;
}

/** Every type that the features declare, in the order of `EVENT_TYPES`. */
export const eventTypes = (): readonly EventType<object>[] =>
  EVENT_TYPES.flatMap((name) => types.get(name) ?? []);
