import { applyDecorators } from '@nestjs/common';
import { ApiExtension, ApiTags } from '@nestjs/swagger';

/** The name under which the document describes the API key; a requirement of an operation names it with its scopes. */
export const SECURITY_SCHEME = 'apiKey';

export type StabilityLevel = 'experimental' | 'beta';

/** Marks an operation that may still change: `x-stability` in the document, and a word in its summary. */
export const Stability = (level: StabilityLevel): MethodDecorator => ApiExtension('x-stability', level);

/** Takes the interactive test panel of an operation away (`x-hideTryItPanel`). */
export const HideTryIt = (): MethodDecorator => ApiExtension('x-hideTryItPanel', true);

/** Groups the operations of a controller in the document, and says there what they are about. */
export const Tag = (name: string, description: string): ClassDecorator =>
  applyDecorators(ApiTags(name), ApiExtension('x-tag-description', description));
