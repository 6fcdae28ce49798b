import { eventType } from '../events/event-type.js';
import { PetResponse } from './dto/pet.response.js';

export const PET_CREATED = eventType('pet.created', PetResponse, { description: 'A pet was added.' });
