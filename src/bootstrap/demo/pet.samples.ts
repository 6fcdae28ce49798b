import type { EntityManager } from 'typeorm';
import { Pet } from '../../pets/pet.entity.js';
import { PetStatus } from '../../pets/pet-status.js';
import { Order } from '../../store/order.entity.js';
import { OrderStatus } from '../../store/order-status.js';

const NAMES = [
  ...['Rex', 'Bella', 'Milo', 'Luna', 'Charlie', 'Daisy', 'Max', 'Nala', 'Oscar', 'Ruby', 'Simba'],
  ...['Coco', 'Rocky', 'Zoë', 'Bruno', 'Kiki', 'Loki', 'Maja', 'Pünktchen', 'Tofu', 'Ginger', 'Pepper'],
  ...['Biscuit', 'Nemo', 'Dory', 'Polly', 'Hazel', 'Thumper', 'Speedy', 'Smaug', 'たま', '旺财'],
];
const STATUSES = [PetStatus.Available, PetStatus.Available, PetStatus.Pending, PetStatus.Sold];
const CATEGORIES = 5;

/** Some thirty pets and a few orders. */
export async function addSamplePets(manager: EntityManager): Promise<void> {
  if (await manager.exists(Pet)) return;
  const pets = await manager.save(
    Pet,
    NAMES.map((name, i) => ({
      name,
      categoryId: (i % CATEGORIES) + 1,
      status: STATUSES[i % STATUSES.length],
    })),
  );
  const sold = pets.filter(({ status }) => status === PetStatus.Sold);
  const progress = Object.values(OrderStatus);
  await manager.save(
    Order,
    sold.map(({ id }, i) => ({ petId: id, quantity: 1, status: progress[i % progress.length] })),
  );
}
