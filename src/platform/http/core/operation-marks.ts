import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension, ApiTags } from '@nestjs/swagger';

/** The name of the security scheme of the API key. */
export const SECURITY_SCHEME = 'apiKey';

export type StabilityLevel = 'experimental' | 'beta';

/** Marks an operation that may still change, with `x-stability` and in its summary. */
export const Stability = (level: StabilityLevel): MethodDecorator => ApiExtension('x-stability', level);

/** Hides the interactive test panel of an operation (`x-hideTryItPanel`). */
export const HideTryIt = (): MethodDecorator => ApiExtension('x-hideTryItPanel', true);

const TAG = 'openapi:tag';

/** Groups the operations of a controller in the document, with a description. */
export const Tag = (name: string, description: string): ClassDecorator =>
  applyDecorators(ApiTags(name), SetMetadata(TAG, { name, description }));

export const tagOf = (controller: object) =>
  Reflect.getMetadata(TAG, controller) as { readonly name: string; readonly description: string } | undefined;
