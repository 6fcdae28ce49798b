import type { DataSource } from 'typeorm';
import { addSamplePets } from './pet.samples.js';

/** Each adds rows where its tables have none. A new module's is one more here. */
const SAMPLES = [addSamplePets];

/** What a newcomer finds in the embedded database. */
export async function addSampleData(dataSource: DataSource): Promise<void> {
  await dataSource.transaction(async (manager) => {
    for (const addSamples of SAMPLES) await addSamples(manager);
  });
}
