import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { planOf } from '../platform/index.js';
import { PETS_OF_PLAN } from './pet-batch-size.js';
import { TooManyPets } from './pet.errors.js';

/** Refuses more pets than the plan allows, before the rules of each pet run. */
@Injectable()
export class PetBatchGuard implements CanActivate {
  /** @throws TooManyPets */
  canActivate(context: ExecutionContext): true {
    const { body } = context
      .switchToHttp()
      .getRequest<Request<unknown, unknown, { readonly pets?: unknown } | undefined>>();
    const max = PETS_OF_PLAN[planOf(context)];
    if (Array.isArray(body?.pets) && body.pets.length > max) throw new TooManyPets(max);
    return true;
  }
}
