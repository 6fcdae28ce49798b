import { DiscoveryService } from '@nestjs/core';

/** What a newcomer finds in the embedded database: rows that a client could have made, by the services of the feature. */
export interface Samples {
  /** Adds rows where there are none. */
  add(): Promise<void>;
}

/** Marks a provider of a feature as its sample data, which a new data folder gets in the order of the modules. */
export const SampleData = DiscoveryService.createDecorator();
