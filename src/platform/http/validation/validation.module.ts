import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { PatchBodies } from './patch-bodies.js';

/** A check of the start. */
@Module({ imports: [DiscoveryModule], providers: [PatchBodies] })
export class ValidationModule {}
