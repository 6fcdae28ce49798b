import type { Type } from '@nestjs/common';

/** Describes a request that the service sends to webhooks, for the document. */
export interface DescribedWebhook {
  /** The type of event, such as `pet.created`. */
  readonly name: string;
  readonly description: string;
  /** The version of the schema of `data`. */
  readonly version: number;
  /** The DTO of `data`. */
  readonly data: Type;
  /** The description of its `id`, if it is not the id in the feed. */
  readonly id?: string;
}

const described: DescribedWebhook[] = [];

/** Adds an event that is sent to webhooks to the document. */
export function describeWebhook(webhook: DescribedWebhook): void {
  described.push(webhook);
}

/** The added webhooks, sorted by name. */
export const describedWebhooks = (): readonly DescribedWebhook[] =>
  described.toSorted((one, other) => (one.name < other.name ? -1 : 1));
