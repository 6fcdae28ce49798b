import { HttpStatus, type INestApplication, RequestMethod, type Type } from '@nestjs/common';
import { HTTP_CODE_METADATA, METHOD_METADATA, REDIRECT_METADATA } from '@nestjs/common/internal.js';
import { DiscoveryService } from '@nestjs/core';
import { DECORATORS } from '@nestjs/swagger';
import { deprecationOf } from '../../deprecation/deprecation.js';
import { type HandlerParameter, parametersOf } from '../../http/route/parameters.js';
import { producedTypes } from '../../http/route/produced-types.js';
import { isIdempotent } from '../../idempotency/idempotent.decorator.js';
import type { DomainError } from '../../kernel/errors/domain-error.js';
import { apiErrorsOf } from '../decorators/api-errors.decorator.js';
import { clientMethodOf, tagOf } from '../decorators/operation-marks.js';
import { type Handler, handlersOf } from '../handlers.js';
import type { OperationObject, TagObject } from './schemas.js';

/** The metadata of a route that `@nestjs/swagger` does not read. */
export interface Route {
  readonly name: string;
  /** The `@Tag()` of its controller. */
  readonly tag: TagObject | undefined;
  /** The status of its success response. */
  readonly status: number;
  /** The media types of its success response; empty if undeclared. */
  readonly produces: readonly string[];
  readonly redirects: boolean;
  readonly errors: readonly DomainError[];
  readonly isDeprecated: boolean;
  readonly isIdempotent: boolean;
  /** Its `@ClientMethod()`, such as `pets.create`. */
  readonly clientMethod: string | undefined;
  /** Its `@Body()`, if any. The type is `undefined` if the handler has only parts of the body as parameters. */
  readonly body: { readonly type: unknown } | undefined;
}

type Numbered = OperationObject & { 'x-route-number'?: number };

/** Maps the operations of a document to their routes. */
export class Routes {
  private readonly routes: Route[] = [];

  /** Numbers the handlers. `@nestjs/swagger` copies the numbers into the operations. */
  constructor(app: INestApplication) {
    for (const one of handlersOf(app.get(DiscoveryService))) this.add(one);
  }

  private add({ controller, handler, name }: Handler): void {
    const parameters = parametersOf(controller, name);
    const extensions = Reflect.getMetadata(DECORATORS.API_EXTENSION, handler) as object | undefined;
    const numbered = { ...extensions, 'x-route-number': this.routes.length };
    Reflect.defineMetadata(DECORATORS.API_EXTENSION, numbered, handler);
    for (const parameter of parameters) describePiped(controller, handler, parameter);
    const read = (key: string): unknown => Reflect.getMetadata(key, handler);
    const redirect = read(REDIRECT_METADATA) as { readonly statusCode?: number } | undefined;
    const status = redirect ? (redirect.statusCode ?? HttpStatus.FOUND) : read(HTTP_CODE_METADATA);
    const bodies = parameters.filter(({ source }) => source === 'body');
    this.routes.push({
      name,
      tag: tagOf(controller),
      status: (status as number | undefined) ?? (read(METHOD_METADATA) === RequestMethod.POST ? 201 : 200),
      redirects: redirect !== undefined,
      produces: producedTypes(controller, handler),
      errors: [...apiErrorsOf(controller), ...apiErrorsOf(handler)],
      isDeprecated: deprecationOf(handler) !== undefined,
      isIdempotent: isIdempotent(handler),
      clientMethod: clientMethodOf(handler),
      body: bodies.length > 0 ? { type: bodies.find(({ data }) => data === undefined)?.type } : undefined,
    });
  }

  /** The route of an operation. Removes the number. */
  take(operation: OperationObject): Route | undefined {
    const numbered: Numbered = operation;
    const number = numbered['x-route-number'];
    delete numbered['x-route-number'];
    return this.routes[number ?? -1];
  }
}

const TEXT_LIKE: readonly unknown[] = [undefined, String, Number, Boolean, Date, Array, Object, BigInt];

interface Described {
  readonly in?: string;
  readonly name?: unknown;
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly schema?: { readonly type?: string };
}

/**
 * Describes a path or query parameter that a pipe turns into an object, such as an id into a user, as text: that is what the
 * client sends. `@nestjs/swagger` would describe the class.
 */
function describePiped(
  controller: Type,
  handler: object,
  { source, data: name, type }: HandlerParameter,
): void {
  if ((source !== 'path' && source !== 'query') || typeof name !== 'string' || TEXT_LIKE.includes(type))
    return;
  const isMeant = (one: Described) => one.in === source && one.name === name;
  const own = describedOn(handler);
  const found = [...own, ...describedOn(controller)].find(isMeant);
  if (found?.type !== undefined || found?.enum !== undefined) return;
  const described = { ...found, in: source, name, type: found?.schema?.type ?? 'string' };
  Reflect.defineMetadata(
    DECORATORS.API_PARAMETERS,
    [...own.filter((one) => !isMeant(one)), described],
    handler,
  );
}

const describedOn = (target: object) =>
  (Reflect.getMetadata(DECORATORS.API_PARAMETERS, target) ?? []) as readonly Described[];
