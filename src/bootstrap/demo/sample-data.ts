import type { INestApplication } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { SampleData, type Samples } from '../../kernel/sample-data.js';

/** Adds the samples of every feature, as requests of a client would. */
export async function addSampleData(app: INestApplication): Promise<void> {
  for (const { instance } of app.get(DiscoveryService).getProviders({ metadataKey: SampleData.KEY }))
    await (instance as Samples).add();
}
