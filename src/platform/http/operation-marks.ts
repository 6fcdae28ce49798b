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

/** The words of a name: `petToy`, `PetToy` and `pet_toy` become "pet toy". */
export const wordsOf = (name: string): string =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[._]/g, ' ')
    .toLowerCase()
    .trim();

/** The words of a name as a title: "Pet toy". */
export function titleOf(name: string): string {
  const words = wordsOf(name);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
