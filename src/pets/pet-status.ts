export enum PetStatus {
  Available = 'available',
  Pending = 'pending',
  Sold = 'sold',
}

const TRANSITIONS: Readonly<Record<PetStatus, readonly PetStatus[]>> = {
  [PetStatus.Available]: [PetStatus.Pending, PetStatus.Sold],
  [PetStatus.Pending]: [PetStatus.Available, PetStatus.Sold],
  [PetStatus.Sold]: [],
};

export const canBecome = (from: PetStatus, to: PetStatus): boolean => TRANSITIONS[from].includes(to);
