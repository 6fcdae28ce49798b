import { DiscoveryService } from '@nestjs/core';

/**
 * Sample rows of a feature for a new embedded database. They are created by its services, as a client's
 * requests would be.
 */
export interface Samples {
  /** Adds the rows to the empty tables. */
  add(): Promise<void>;
}

/**
 * Marks a provider as sample data of its feature. A new data folder gets all samples, in the order of the
 * modules.
 */
export const SampleData = DiscoveryService.createDecorator();
