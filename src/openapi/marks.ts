import type { OperationObject } from './openapi-types.js';
import type { StabilityLevel } from './stability.decorator.js';

interface Marks {
  readonly 'x-stability'?: StabilityLevel;
  readonly 'x-deprecated-sunset'?: string;
}

const MEANING: Readonly<Record<StabilityLevel, string>> = {
  experimental: '**Experimental:** it may change or go without notice.',
  beta: '**Beta:** it may still change.',
};

/** Puts the marks that decorators left as extensions where a reader sees them. */
export function addMarks(operation: OperationObject & Marks): void {
  const { 'x-stability': stability, 'x-deprecated-sunset': sunset } = operation;
  if (stability) addMark(operation, stability, MEANING[stability]);
  if (sunset) {
    operation.deprecated = true;
    addMark(operation, `until ${sunset}`, `**Deprecated:** from ${sunset} on it answers 410.`);
  }
}

function addMark(operation: OperationObject, mark: string, meaning: string): void {
  operation.summary = `${operation.summary ?? ''} (${mark})`;
  operation.description = `${operation.description ?? ''}\n\n${meaning}`.trim();
}
