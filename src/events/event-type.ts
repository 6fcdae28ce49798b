import type { Type } from '@nestjs/common';

/** A kind of event, and the shape of its `data`. */
export interface EventType<Data extends object> {
  /** What changed and what happened to it, such as `pet.created`. */
  readonly name: string;
  /** Of the shape of `data`: it rises when a change is not backward compatible. */
  readonly version: number;
  /** A DTO: it documents `data`. */
  readonly data: Type<Data>;
  /** For the OpenAPI document. */
  readonly description: string;
}

const NAME = /^[a-z]+(_[a-z]+)*(\.[a-z]+(_[a-z]+)*)+$/;
const types = new Map<string, EventType<object>>();

/**
 * Declares a type of event. A feature declares its types in a file of its own, and its service hands them to
 * `EventsService.record`.
 * @throws Error for a malformed name, or one that is taken
 */
export function eventType<Data extends object>(
  name: string,
  data: Type<Data>,
  { version = 1, description }: { readonly version?: number; readonly description: string },
): EventType<Data> {
  if (!NAME.test(name)) throw new Error(`"${name}" is not a name for events, such as pet.created`);
  if (types.has(name)) throw new Error(`Two types of event have the name ${name}`);
  const type = { name, version, data, description };
  types.set(name, type);
  return type;
}

/** Every type that the features declare, by name. */
export const eventTypes = (): readonly EventType<object>[] =>
  [...types.values()].sort((one, other) => (one.name < other.name ? -1 : 1));

export const eventTypeNames = (): string[] => eventTypes().map(({ name }) => name);

export const isEventType = (value: unknown): boolean => typeof value === 'string' && types.has(value);
