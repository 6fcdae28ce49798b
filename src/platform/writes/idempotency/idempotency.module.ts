import { Global, Module, type OnModuleInit, type Type } from '@nestjs/common';
import {
  GUARDS_METADATA,
  REDIRECT_METADATA,
  RENDER_METADATA,
  RESPONSE_PASSTHROUGH_METADATA,
  ROUTE_ARGS_METADATA,
  RouteParamtypes,
  SSE_METADATA,
} from '../../http/core/nest-metadata.js';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import { StartupError } from '../../kernel/config/startup-error.js';
import { type Handler, handlersOf } from '../../http/core/handlers.js';
import { IdempotencyGuard } from './idempotency.guard.js';
import { idempotentOptions } from './idempotent.metadata.js';
import { IdempotentRequests } from './idempotent-requests.js';
import { IdempotentResponses } from './idempotent-responses.js';

/** Global: the guard of `@Idempotent()`, in any feature, is given these providers. */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [IdempotentResponses, IdempotentRequests],
  exports: [IdempotentRequests],
})
export class IdempotencyModule implements OnModuleInit {
  constructor(private readonly discovery: DiscoveryService) {}

  /** @throws StartupError for a handler whose response or guards would pass by the stored response */
  onModuleInit(): void {
    for (const handler of handlersOf(this.discovery)) {
      if (!idempotentOptions(handler.handler)) continue;
      const problem = problemOf(handler);
      if (problem !== undefined)
        throw new StartupError(`@Idempotent() on ${handler.controller.name}.${handler.name}: ${problem}`);
    }
  }
}

const BYPASSES = [
  [REDIRECT_METADATA, '@Redirect()'],
  [RENDER_METADATA, '@Render()'],
  [SSE_METADATA, '@Sse()'],
] as const;

function problemOf({ controller, handler, name }: Handler): string | undefined {
  const bypass = BYPASSES.find(([metadata]) => Reflect.hasMetadata(metadata, handler))?.[1];
  const sender = bypass ?? responseParameter(controller, name);
  if (sender !== undefined) return `with ${sender} the response cannot be stored. Return the result instead.`;
  const guards = (Reflect.getMetadata(GUARDS_METADATA, handler) ?? []) as unknown[];
  if (guards.at(-1) === IdempotencyGuard) return undefined;
  return 'a guard written above it would run after a repeat is answered. Write @UseGuards() below @Idempotent().';
}

/** The parameter by which a handler sends its response itself. */
function responseParameter(controller: Type, name: string): string | undefined {
  const parameters = Object.keys(
    (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as object,
  );
  const has = (type: RouteParamtypes) => parameters.some((key) => key.startsWith(`${type}:`));
  if (Reflect.getMetadata(RESPONSE_PASSTHROUGH_METADATA, controller, name) === true) return undefined;
  if (has(RouteParamtypes.NEXT)) return '@Next()';
  return has(RouteParamtypes.RESPONSE) ? '@Res() without { passthrough: true }' : undefined;
}
