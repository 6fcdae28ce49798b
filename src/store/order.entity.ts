import { Check, Column, CreateDateColumn, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { Int64 } from '../platform/index.js';
import { OrderStatus } from './order-status.js';

@Entity('orders')
@Check('orders_quantity_positive', 'quantity > 0')
@Check('orders_status_known', `status IN ('placed', 'approved', 'delivered', 'cancelled')`)
@Index('orders_status_id_idx', ['status', 'id'])
@Index('orders_pet_id_id_idx', ['petId', 'id'])
export class Order {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: Int64;

  @Column('bigint', { name: 'pet_id' })
  petId!: Int64;

  @Column('integer')
  quantity!: number;

  @Column('text')
  status!: OrderStatus;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;
}
