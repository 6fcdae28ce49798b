import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { Int64 } from '../kernel/json/int64.js';
import { OrderStatus } from './order-status.js';

@Entity('orders')
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
