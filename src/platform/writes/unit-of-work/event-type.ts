import type { Type } from '@nestjs/common';
import { StartupError } from '../../kernel/config/startup-error.js';
import { membersOf } from './pick.js';

/** The names of all types that modules declare. */
export const EVENT_TYPES: string[] = [];

const made: EventType<never>[] = [];
const declared = new Map<string, EventType<never>>();

/** The DTO of an event's `data`, and how a row becomes one. The `id` of the row is its first property. */
export interface EventData<Row, Data extends object> extends Type<Data> {
  /**
   * Must depend on nothing but its parameters. If it is a projection that {@link pick} has made, PostgreSQL
   * makes the data of a new row in the statement that inserts it.
   * @param row as PostgreSQL has stored it
   * @param before the row before the change
   */
  from(row: Row, before: Row): Data;
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
 * An event type, such as `pet.created`. The types of a feature are in a file of their own; its module lists
 * them in `static readonly events`, and its service passes them to `Changes`.
 * @throws Error if the name is malformed
 */
export function eventType<Row, Data extends object>(
  name: string,
  data: EventData<Row, Data>,
  { version = 1, description }: { readonly version?: number; readonly description: string },
): EventType<Row, Data> {
  if (!NAME.test(name)) throw new Error(`The event type ${JSON.stringify(name)} must look like book.created`);
  const type = { name, version, data, description };
  made.push(type);
  return type;
}

/** What an event of this type says of a row. */
export function eventData<Row extends { readonly id: unknown }>(
  { data: Data }: EventType<Row>,
  row: Row,
  before: Row,
): { readonly id: unknown } {
  return { id: row.id, ...Data.from(row, before) };
}

/** The names of its data if they are just members of the row, otherwise undefined. */
export function projectedMembers({ data: Data }: EventType<never>): readonly string[] | undefined {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- it is recognised, not called
  return membersOf(Data.from);
}

/**
 * Adds a type to the OpenAPI document and to what webhooks subscribe to.
 * @throws StartupError if another has its name
 */
export function declareEventType(type: EventType<never>): void {
  const other = declared.get(type.name);
  if (other === type) return;
  if (other) throw new StartupError(`The event type ${type.name} is declared twice.`);
  declared.set(type.name, type);
  EVENT_TYPES.push(type.name);
}

/** @throws StartupError if there are types that no module declares: their first write would fail */
export function assertAllDeclared(): void {
  const forgotten = made.filter((type) => declared.get(type.name) !== type);
  if (forgotten.length > 0) throw new StartupError(unlisted(forgotten));
}

/** All types that modules declare. */
export const declaredEventTypes = (): readonly EventType<never>[] => [...declared.values()];

/**
 * @throws TypeError if no module declares this very type: the document would lack it, or describe the data of
 * another of its name
 */
export function assertDeclared(type: Named): void {
  if (declared.get(type.name) !== type) throw new TypeError(unlisted([type]));
}

type Named = Pick<EventType<never>, 'name' | 'version'>;

const unlisted = (types: readonly Named[]): string =>
  `No module lists the event type ${types
    .map(({ name }) => (declared.has(name) ? `${name} (but another of this name)` : name))
    .join(' and ')} in its static property "events".`;
