import type { Type } from '@nestjs/common';
import { describeWebhook } from '../openapi/decorators/webhooks.js';

/** The names of all types that are loaded: `eventType()` declares them. */
export const EVENT_TYPES: string[] = [];

/** The DTO of an event, which makes it from the row. */
export interface EventData<Row, Data extends object> extends Type<Data> {
  /** @param before the row before the change */
  from(row: Row, before: Row): Data;
}

/** A type of event, and the shape of its `data`. */
export interface EventType<Row, Data extends object = object> {
  readonly name: string;
  /** Of the schema of `data`. A breaking change increases it. */
  readonly version: number;
  readonly data: EventData<Row, Data>;
  /** For the OpenAPI document. */
  readonly description: string;
}

const NAME = /^[a-z]+(_[a-z]+)*(\.[a-z]+(_[a-z]+)*)+$/;

/**
 * Declares a type of event, such as `pet.created`, and has the document describe it. A feature declares its types in a file
 * of its own, and its service hands them to `Changes`.
 * @throws Error for a type that is declared already, or whose name has another form
 */
export function eventType<Row, Data extends object>(
  name: string,
  data: EventData<Row, Data>,
  { version = 1, description }: { readonly version?: number; readonly description: string },
): EventType<Row, Data> {
  if (!NAME.test(name))
    throw new Error(`The type of event ${JSON.stringify(name)} must look like pet.created`);
  if (EVENT_TYPES.includes(name)) throw new Error(`The type of event ${name} is declared twice`);
  EVENT_TYPES.push(name);
  describeWebhook({ name, version, data, description });
  return { name, version, data, description };
}
