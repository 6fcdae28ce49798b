import type { Type } from '@nestjs/common';
import type { Command } from 'commander';
import { declareScope, type Scope } from '../../access/keys/scopes.js';
import type { Settings } from '../../kernel/config/config.js';
import type { DatabaseCheck } from '../../data/database/checks/database-check.js';
import type { CommandDatabase } from '../../data/database/command-database.js';
import type { DocumentAdditions } from '../openapi/document/openapi-document.js';
import { declareEventType, type EventType } from '../../writes/unit-of-work/event-type.js';

/** Adds the commands of a module to the `petstore` program. */
export type AddCommands = (program: Command, database: CommandDatabase) => void;

/** A module, and what it declares in static properties. `petstore` reads them without starting Nest. */
export interface Feature extends Type {
  /** The scopes that its operations require. */
  readonly scopes?: readonly Scope[];
  /** The event types that it records. */
  readonly events?: readonly EventType<never>[];
  /** Commands of `petstore`. */
  readonly commands?: readonly AddCommands[];
  /**
   * Classes that read its variables. The start and doctor inspect those of all modules before anything else,
   * and name all problems at once.
   */
  readonly settings?: readonly Settings[];
  /** What the start and doctor check of the database for it. */
  readonly checks?: readonly DatabaseCheck[];
  /** Ways other than the API key to say who sends a request, for the document; `@ApiSecurity()` names them. */
  readonly securitySchemes?: DocumentAdditions['securitySchemes'];
  /** What it sends to webhooks, beside events, for the document. */
  readonly pings?: DocumentAdditions['pings'];
  /** Whether it has background work, which `petstore worker` does. */
  readonly hasWorker?: boolean;
}

/** The checks of the database that modules declare. */
export const checksOf = (features: readonly Feature[]): DatabaseCheck[] =>
  features.flatMap(({ checks = [] }) => checks);

/** What modules add to the document. */
export const documentAdditionsOf = (features: readonly Feature[]): DocumentAdditions => ({
  securitySchemes: Object.fromEntries(
    features.flatMap(({ securitySchemes = {} }) => Object.entries(securitySchemes)),
  ),
  pings: features.flatMap(({ pings = [] }) => pings),
});

/**
 * Makes scopes and event types known to the document, the API keys and the command line.
 * @throws StartupError if two modules declare different event types of one name, or a scope is malformed
 */
export function declareFeatures(features: readonly Feature[]): void {
  for (const { scopes = [], events = [] } of features) {
    scopes.forEach(declareScope);
    events.forEach(declareEventType);
  }
}
