import { SECURITY_SCHEME, type StabilityLevel } from '../../../http/core/operation-marks.js';
import { titleOf } from '../../../kernel/naming/words.js';
import type { OperationObject } from './schemas.js';
import type { Route } from './routes.js';

interface Marks {
  readonly 'x-stability'?: StabilityLevel;
  readonly 'x-deprecated-sunset'?: string;
}

const MEANING: Readonly<Record<StabilityLevel, string>> = {
  experimental: '**Experimental:** it may change or be removed without notice.',
  beta: '**Beta:** it may still change.',
};

/** Completes the summary and description of an operation, including its scopes, stability and deprecation. */
export function addTexts(operation: OperationObject & Marks, route: Route): void {
  const { 'x-stability': stability, 'x-deprecated-sunset': sunset, security = [] } = operation;
  const { summary = '' } = operation;
  operation.summary = summary === '' ? titleOf(route.name) : summary;
  operation.description ??= `${operation.summary}.`;
  const scopes = security.flatMap((requirement) => requirement[SECURITY_SCHEME] ?? []);
  if (scopes.length > 0) {
    const list = scopes.map((scope) => `\`${scope}\``).join(' and ');
    addToDescription(operation, `Needs a key with the scope${scopes.length > 1 ? 's' : ''} ${list}.`);
  }
  if (stability) addMark(operation, stability, MEANING[stability]);
  if (sunset) {
    operation.deprecated = true;
    addMark(operation, `until ${sunset}`, `**Deprecated:** it returns 410 from ${sunset} on.`);
  }
}

function addMark(operation: OperationObject, mark: string, meaning: string): void {
  operation.summary = `${operation.summary ?? ''} (${mark})`;
  addToDescription(operation, meaning);
}

function addToDescription(operation: OperationObject, text: string): void {
  operation.description = `${operation.description ?? ''}\n\n${text}`.trim();
}
