import { eventType } from '../platform/index.js';
import { OrderResponse } from './dto/order.response.js';

export const ORDER_PLACED = eventType('order.placed', OrderResponse, {
  description: 'An order was placed. Its pet is now pending.',
});
export const ORDER_APPROVED = eventType('order.approved', OrderResponse, {
  description: 'An order was approved.',
});
export const ORDER_DELIVERED = eventType('order.delivered', OrderResponse, {
  description: 'An order was delivered. Its pet is now sold.',
});
export const ORDER_CANCELLED = eventType('order.cancelled', OrderResponse, {
  description: 'An order was cancelled. Its pet is available again.',
});
