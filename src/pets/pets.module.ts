import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { checkIcu, EventsModule } from '../platform/index.js';
import { InventoryService } from './inventory.service.js';
import { PetReservation } from './pet-reservation.entity.js';
import { PetReservationsService } from './pet-reservations.service.js';
import { PET_CREATED, PET_DELETED, PET_STATUS_CHANGED, PET_UPDATED } from './pet.events.js';
import { Pet } from './pet.entity.js';
import { PetsController } from './pets.controller.js';
import { PetsService } from './pets.service.js';
import { PetSamples } from './pet.samples.js';

@Module({
  imports: [TypeOrmModule.forFeature([Pet, PetReservation]), EventsModule],
  controllers: [PetsController],
  providers: [PetsService, PetReservationsService, InventoryService, PetSamples],
  exports: [PetsService, PetReservationsService, InventoryService],
})
export class PetsModule {
  static readonly checks = [checkIcu]; // its index of names uses a collation of ICU
  static readonly scopes = ['pets:read', 'pets:write'] as const;
  static readonly events = [PET_CREATED, PET_UPDATED, PET_STATUS_CHANGED, PET_DELETED];
}
