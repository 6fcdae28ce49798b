import type { OperationObject } from '../decorators/openapi-types.js';
import type { StabilityLevel } from '../decorators/stability.decorator.js';

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
  const { 'x-stability': stability, 'x-deprecated-sunset': sunset, security = [] } = operation;
  for (const scope of security.flatMap(Object.values<string[]>).flat()) {
    addToDescription(operation, `Needs a key with the scope \`${scope}\`.`);
  }
  if (stability) addMark(operation, stability, MEANING[stability]);
  if (sunset) {
    operation.deprecated = true;
    addMark(operation, `until ${sunset}`, `**Deprecated:** from ${sunset} on it answers 410.`);
  }
}

function addMark(operation: OperationObject, mark: string, meaning: string): void {
  operation.summary = `${operation.summary ?? ''} (${mark})`;
  addToDescription(operation, meaning);
}

function addToDescription(operation: OperationObject, text: string): void {
  operation.description = `${operation.description ?? ''}\n\n${text}`.trim();
}
