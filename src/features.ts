import type { Feature } from './platform/index.js';
import { CategoriesModule } from './categories/categories.module.js';
import { PetsModule } from './pets/pets.module.js';
import { StoreModule } from './store/store.module.js';

/**
 * The modules of this service. `npm run generate` adds a line; those of the platform are in `app.module.ts`.
 */
export const MODULES: readonly Feature[] = [PetsModule, CategoriesModule, StoreModule];
