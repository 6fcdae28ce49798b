import { Injectable, type OnModuleInit, RequestMethod, type Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { StartupError } from '../../kernel/config/startup-error.js';
import { bodyClass, type Handler, handlersOf } from '../core/handlers.js';

/** Refuses, at the start, a `PATCH` whose DTO would change what its client does not send. */
@Injectable()
export class PatchBodies implements OnModuleInit {
  constructor(private readonly discovery: DiscoveryService) {}

  /** @throws StartupError */
  onModuleInit(): void {
    for (const handler of handlersOf(this.discovery)) {
      const dto = handler.method === RequestMethod.PATCH && bodyClass(handler.handler, handler.controller);
      if (dto) requireNoDefaults(dto, handler);
    }
  }
}

function requireNoDefaults(dto: Type<object>, { controller, name }: Handler): void {
  const found = Object.entries(newInstance(dto, `${controller.name}.${name}`)).find(
    ([, value]) => value !== undefined,
  );
  if (!found) return;
  const [member, value] = found as [string, unknown];
  throw new StartupError(
    `${controller.name}.${name} would change ${member} to ${shown(value)} in every PATCH that omits it, because ` +
      `${dto.name} has that default. Write "class ${dto.name} extends PatchType(…)" instead of PartialType(…), or remove the value.`,
  );
}

function newInstance(dto: Type<object>, handler: string): object {
  try {
    return new dto();
  } catch (error) {
    throw new StartupError(
      `${handler} takes a ${dto.name}, whose constructor throws without arguments: ${String(error)}`,
      { cause: error },
    );
  }
}

const shown = (value: unknown): string =>
  typeof value === 'string'
    ? JSON.stringify(value)
    : typeof value === 'function'
      ? 'a function'
      : String(value);
