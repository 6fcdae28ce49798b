import type { Type } from '@nestjs/common';
import { TransformationType } from 'class-transformer';
import { defaultOptions } from 'class-transformer/cjs/constants/default-options.constant.js';
import { TransformOperationExecutor } from 'class-transformer/cjs/TransformOperationExecutor.js';

type Arguments = Parameters<TransformOperationExecutor['transform']>;

/**
 * `plainToInstance` of class-transformer, but for values that no `@Type()` is for. It would copy those, item by item, in
 * up to 130 ms for the 98 KiB of a `name` that is an array of empty arrays; here they stay what they are.
 */
export function toInstance(dto: Type, plain: unknown): object {
  const transformer = new Transformer(TransformationType.PLAIN_TO_CLASS, defaultOptions);
  return transformer.transform(...([undefined, plain, dto] as unknown as Arguments)) as object; // as the library calls it
}

class Transformer extends TransformOperationExecutor {
  override transform(...args: Arguments): unknown {
    const [, value, type, arrayType, isMap] = args as readonly unknown[];
    const isUntyped = type === undefined && arrayType === undefined && isMap !== true;
    return isUntyped && isParsed(value) ? value : (super.transform(...args) as unknown);
  }
}

/** Made by `JSON.parse`: not a Map, a Date, or what else the library has a case of its own for. */
function isParsed(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype;
}
