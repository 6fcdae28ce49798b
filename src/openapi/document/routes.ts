import { HttpStatus, type INestApplication, RequestMethod, type Type } from '@nestjs/common';
import { HTTP_CODE_METADATA, METHOD_METADATA, REDIRECT_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { DECORATORS } from '@nestjs/swagger';
import { deprecationOf } from '../../deprecation/deprecation.js';
import { parametersOf } from '../../http/route/parameters.js';
import { producedTypes } from '../../http/route/produced-types.js';
import { isIdempotent } from '../../idempotency/idempotent.decorator.js';
import type { DomainError } from '../../kernel/errors/domain-error.js';
import { apiErrorsOf } from '../decorators/api-errors.decorator.js';
import type { OperationObject } from './schemas.js';
import { describePipedParameters } from './piped-parameters.js';

/** The metadata of a route that `@nestjs/swagger` does not read. */
export interface Route {
  readonly name: string;
  /** The status of its success response. */
  readonly status: number;
  /** The media types of its success response; empty if undeclared. */
  readonly produces: readonly string[];
  readonly redirects: boolean;
  readonly errors: readonly DomainError[];
  readonly isDeprecated: boolean;
  readonly isIdempotent: boolean;
  /** The type of its `@Body()`, which is `undefined` where it takes a part of it; absent where it takes none. */
  readonly body: { readonly type: unknown } | undefined;
}

type Numbered = OperationObject & { 'x-route-number'?: number };
type Handlers = Readonly<Record<string, object>>;

/** Maps the operations of a document to their routes. */
export class Routes {
  private readonly routes: Route[] = [];

  /** Numbers the handlers; `@nestjs/swagger` copies the number into the operation. */
  constructor(app: INestApplication) {
    const scanner = new MetadataScanner();
    for (const { controllers } of app.get(ModulesContainer).values()) {
      for (const { metatype } of controllers.values()) {
        const { prototype } = metatype as { prototype: Handlers };
        for (const name of scanner.getAllMethodNames(prototype))
          this.add(metatype as Type, prototype[name], name);
      }
    }
  }

  private add(controller: Type, handler: object | undefined, name: string): void {
    if (!handler || !Reflect.hasMetadata(METHOD_METADATA, handler)) return;
    const others = Reflect.getMetadata(DECORATORS.API_EXTENSION, handler) as object | undefined;
    Reflect.defineMetadata(
      DECORATORS.API_EXTENSION,
      { ...others, 'x-route-number': this.routes.length },
      handler,
    );
    describePipedParameters(controller, handler, name);
    this.routes.push(readRoute(controller, handler, name));
  }

  /** The route of an operation. Removes the number. */
  take(operation: OperationObject): Route | undefined {
    const numbered: Numbered = operation;
    const number = numbered['x-route-number'];
    delete numbered['x-route-number'];
    return this.routes[number ?? -1];
  }
}

function readRoute(controller: Type, handler: object, name: string): Route {
  const read = (key: string): unknown => Reflect.getMetadata(key, handler);
  const method = read(METHOD_METADATA) as RequestMethod;
  const redirect = read(REDIRECT_METADATA) as { readonly statusCode?: number } | undefined;
  const status = redirect ? (redirect.statusCode ?? HttpStatus.FOUND) : read(HTTP_CODE_METADATA);
  return {
    name,
    status: (status as number | undefined) ?? (method === RequestMethod.POST ? 201 : 200),
    redirects: redirect !== undefined,
    produces: producedTypes(controller, handler),
    errors: [...apiErrorsOf(controller), ...apiErrorsOf(handler)],
    isDeprecated: deprecationOf(handler) !== undefined,
    isIdempotent: isIdempotent(handler),
    body: bodyOf(controller, name),
  };
}

function bodyOf(controller: Type, name: string): Route['body'] {
  const bodies = parametersOf(controller, name).filter(({ source }) => source === 'body');
  const whole = bodies.find(({ data }) => data === undefined);
  if (whole) return { type: whole.type };
  return bodies.length > 0 ? { type: undefined } : undefined;
}
