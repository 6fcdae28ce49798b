import type { Type } from '@nestjs/common';

/** A request that the service sends to the webhooks of a client, for the document. */
export interface DescribedWebhook {
  /** The type of event, such as `pet.created`. */
  readonly name: string;
  readonly description: string;
  /** Of the schema of `data`. */
  readonly version: number;
  /** The DTO of `data`. */
  readonly data: Type;
  /** What its `id` is, where it is not that of the feed. */
  readonly id?: string;
}

const described: DescribedWebhook[] = [];

/** Has the document describe an event that is sent to webhooks. */
export function describeWebhook(webhook: DescribedWebhook): void {
  described.push(webhook);
}

/** By name. */
export const describedWebhooks = (): readonly DescribedWebhook[] =>
  described.toSorted((one, other) => (one.name < other.name ? -1 : 1));
