import { ApiExtension } from '@nestjs/swagger';

/** Marks an operation that may still change: `x-stability` in the document, and a word in its summary. */
export const Stability = (level: 'experimental' | 'beta'): MethodDecorator =>
  ApiExtension('x-stability', level);
