import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { Changes, SampleData, type Samples } from '../platform/index.js';
import { PetStatus } from './pet-status.js';
import { Pet } from './pet.entity.js';
import { PetsService } from './pets.service.js';

const NAMES = [
  ...['Rex', 'Bella', 'Milo', 'Luna', 'Charlie', 'Daisy', 'Max', 'Nala', 'Oscar', 'Ruby', 'Simba'],
  ...['Coco', 'Rocky', 'Zoë', 'Bruno', 'Kiki', 'Loki', 'Maja', 'Pünktchen', 'Tofu', 'Ginger', 'Pepper'],
  ...['Biscuit', 'Nemo', 'Dory', 'Polly', 'Hazel', 'Thumper', 'Speedy', 'Smaug', 'たま', '旺财'],
  ...['REX', 'Rexona', 'Größe', 'A\u030ase'], // found by namePrefix=rex, GRÖSSE and åse
];
const STATUSES = [PetStatus.Available, PetStatus.Available, PetStatus.Pending, PetStatus.Sold];
const CATEGORIES = 5; // a new database assigns the sample categories ids from 1

@SampleData()
@Injectable()
export class PetSamples implements Samples {
  constructor(
    @InjectRepository(Pet) private readonly table: Repository<Pet>,
    private readonly pets: PetsService,
    private readonly changes: Changes,
  ) {}

  async add(): Promise<void> {
    if (await this.table.exists()) return;
    const pets = NAMES.map((name, i) => {
      const status = STATUSES[i % STATUSES.length] ?? PetStatus.Available;
      return { name, categoryId: (i % CATEGORIES) + 1, status };
    });
    await this.pets.createAll({ pets }, this.changes);
  }
}
