import { ApiExtension } from '@nestjs/swagger';

export type StabilityLevel = 'experimental' | 'beta';

/** Marks an operation that may still change: `x-stability` in the document, and a word in its summary. */
export const Stability = (level: StabilityLevel): MethodDecorator => ApiExtension('x-stability', level);
