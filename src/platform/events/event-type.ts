import type { Type } from '@nestjs/common';
import { describeWebhook } from './described-events.js';

/** The names of all loaded types, as declared by `eventType()`. */
export const EVENT_TYPES: string[] = [];

/** The DTO of an event's `data`, and how a row becomes one. */
export interface EventData<Row, Data extends object> extends Type<Data> {
  /**
   * Everything but the `id`, which the platform adds as the first property: while a row is inserted, it has none yet.
   * @param before the row before the change
   */
  data(row: Omit<Row, 'id'>, before: Omit<Row, 'id'>): Omit<Data, 'id'>;
}

/** An event type, and the shape of its `data`. */
export interface EventType<Row, Data extends object = object> {
  readonly name: string;
  /** Version of the schema of `data`. A breaking change increases it. */
  readonly version: number;
  readonly data: EventData<Row, Data>;
  /** For the OpenAPI document. */
  readonly description: string;
}

const NAME = /^[a-z]+(_[a-z]+)*(\.[a-z]+(_[a-z]+)*)+$/;

/**
 * Declares an event type, such as `pet.created`, and adds it to the OpenAPI document. A feature declares its types in
 * its own file, and its service passes them to `Changes`.
 * @throws Error if the type is already declared, or its name is malformed
 */
export function eventType<Row, Data extends object>(
  name: string,
  data: EventData<Row, Data>,
  { version = 1, description }: { readonly version?: number; readonly description: string },
): EventType<Row, Data> {
  if (!NAME.test(name)) throw new Error(`The event type ${JSON.stringify(name)} must look like pet.created`);
  if (EVENT_TYPES.includes(name)) throw new Error(`The event type ${name} is declared twice`);
  EVENT_TYPES.push(name);
  describeWebhook({ name, version, data, description });
  return { name, version, data, description };
}
