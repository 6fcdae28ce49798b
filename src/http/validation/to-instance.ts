import type { Type } from '@nestjs/common';
import { TransformationType } from 'class-transformer';
import { TransformOperationExecutor } from 'class-transformer/cjs/TransformOperationExecutor.js';

type Arguments = Parameters<TransformOperationExecutor['transform']>;

/** The only default option of `plainToInstance` that is on. */
const OPTIONS = { exposeUnsetFields: true };

/**
 * `plainToInstance` of class-transformer, except that values without a `@Type()` are not copied: to copy 98 KiB of nested empty
 * arrays takes 130 ms.
 */
export function toInstance(dto: Type, plain: unknown): object {
  const transformer = new Transformer(TransformationType.PLAIN_TO_CLASS, OPTIONS);
  return transformer.transform(...([undefined, plain, dto] as unknown as Arguments)) as object; // as the library calls it
}

class Transformer extends TransformOperationExecutor {
  override transform(...args: Arguments): unknown {
    const [, value, type, arrayType, isMap] = args as readonly unknown[];
    const isUntyped = type === undefined && arrayType === undefined && isMap !== true;
    return isUntyped && isParsed(value) ? value : (super.transform(...args) as unknown);
  }
}

/** A result of `JSON.parse`: not a Map, a Date or another type that the library handles. */
function isParsed(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype;
}
