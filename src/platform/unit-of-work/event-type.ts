import type { Type } from '@nestjs/common';
import { StartupError } from '../config/startup-error.js';

/** The names of all types that modules declare. */
export const EVENT_TYPES: string[] = [];

const declared = new Map<string, EventType<never>>();

/** The DTO of an event's `data`, and how a row becomes one. The `id` of the row is its first property. */
export interface EventData<Row, Data extends object> extends Type<Data> {
  /**
   * Must depend on nothing but its parameters. It may use the `id` in any way but comparing it with one certain id, which the row of a
   * creation does not have yet.
   * @param before the row before the change
   */
  from(row: Row, before: Row): Data;
}

/** A class written for 1.1. If it has both, `data` makes the event, and `from` the response. */
export interface LegacyEventData<Row, Data extends object> extends Type<Data> {
  /** Everything but the `id`. */
  data(row: Omit<Row, 'id'>, before: Omit<Row, 'id'>): Omit<Data, 'id'>;
}

/** An event type, and the shape of its `data`. */
export interface EventType<Row, Data extends object = object> {
  readonly name: string;
  /** Version of the schema of `data`. A breaking change increases it. */
  readonly version: number;
  readonly data: EventData<Row, Data> | LegacyEventData<Row, Data>;
  /** For the OpenAPI document. */
  readonly description: string;
}

const NAME = /^[a-z]+(_[a-z]+)*(\.[a-z]+(_[a-z]+)*)+$/;

/**
 * An event type, such as `pet.created`. The types of a feature are in a file of their own; its module lists them in
 * `static readonly events`, and its service passes them to `Changes`.
 * @throws Error if the name is malformed
 */
export function eventType<Row, Data extends object>(
  name: string,
  data: EventData<Row, Data> | LegacyEventData<Row, Data>,
  { version = 1, description }: { readonly version?: number; readonly description: string },
): EventType<Row, Data> {
  if (!NAME.test(name)) throw new Error(`The event type ${JSON.stringify(name)} must look like pet.created`);
  return { name, version, data, description };
}

/** What an event of this type says of a row. */
export function eventData<Row extends { readonly id: unknown }>(
  { data: Data }: EventType<Row>,
  row: Row,
  before: Row,
): { readonly id: unknown } {
  return { id: row.id, ...('data' in Data ? Data.data(row, before) : Data.from(row, before)) };
}

/** Adds a type to the OpenAPI document and to what webhooks subscribe to. @throws StartupError if another has its name */
export function declareEventType(type: EventType<never>): void {
  const other = declared.get(type.name);
  if (other === type) return;
  if (other) throw new StartupError(`The event type ${type.name} is declared twice.`);
  declared.set(type.name, type);
  EVENT_TYPES.push(type.name);
}

/** All types that modules declare. */
export const declaredEventTypes = (): readonly EventType<never>[] => [...declared.values()];

/** @throws TypeError if no module declares the type: the document would lack it, and no webhook could subscribe to it */
export function assertDeclared(name: string): void {
  if (!declared.has(name))
    throw new TypeError(`No module lists the event type ${name} in its static property "events".`);
}
