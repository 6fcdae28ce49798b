import { eventType } from '../platform/index.js';
import { PetStatusChangedData } from './dto/pet-status-changed.data.js';
import { PetResponse } from './dto/pet.response.js';

export const PET_CREATED = eventType('pet.created', PetResponse, { description: 'A pet was added.' });
export const PET_UPDATED = eventType('pet.updated', PetResponse, {
  description:
    'The name or the category of a pet changed, but not its status. `data` is the pet after the change.',
});
export const PET_STATUS_CHANGED = eventType('pet.status_changed', PetStatusChangedData, {
  description:
    'The status of a pet changed, possibly together with its name or category: no `pet.updated` comes then. `data` is the pet after ' +
    'the change, and its previous status.',
});
export const PET_DELETED = eventType('pet.deleted', PetResponse, {
  description: 'A pet was removed. `data` is the pet as it was.',
});
