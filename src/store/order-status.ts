export enum OrderStatus {
  Placed = 'placed',
  Approved = 'approved',
  Delivered = 'delivered',
  Cancelled = 'cancelled',
}

const TRANSITIONS: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  [OrderStatus.Placed]: [OrderStatus.Approved, OrderStatus.Cancelled],
  [OrderStatus.Approved]: [OrderStatus.Delivered, OrderStatus.Cancelled],
  [OrderStatus.Delivered]: [],
  [OrderStatus.Cancelled]: [],
};

export const canBecome = (from: OrderStatus, to: OrderStatus): boolean => TRANSITIONS[from].includes(to);
