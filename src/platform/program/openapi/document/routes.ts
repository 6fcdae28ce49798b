import { type INestApplication, RequestMethod } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { DECORATORS } from '@nestjs/swagger';
import { type Deprecation, deprecationOf } from '../../../http/deprecation/deprecation.js';
import { idempotentOptions } from '../../../writes/idempotency/idempotent.metadata.js';
import type { DomainError } from '../../../kernel/errors/domain-error.js';
import { apiErrorsOf } from '../../../kernel/errors/api-errors.decorator.js';
import { tagOf } from '../../../http/core/operation-marks.js';
import { pageSchemaOf, type PageSchema } from '../../../http/pagination/paged.decorator.js';
import { consumedTypes } from '../../../http/core/accepted-types.js';
import { bodyClass, handlersOf, queryClass } from '../../../http/core/handlers.js';
import type { OperationObject, TagObject } from './schemas.js';

/** The metadata of a route that `@nestjs/swagger` does not read. */
export interface Route {
  readonly name: string;
  /** The `@Tag()` of its controller. */
  readonly tag: TagObject | undefined;
  /** The schema that `@Paged()` names. */
  readonly pages: PageSchema | undefined;
  readonly errors: readonly DomainError[];
  readonly deprecation: Deprecation | undefined;
  readonly isIdempotent: boolean;
  /** Whether a DTO checks the body. */
  readonly hasBodyRules: boolean;
  /** Whether a DTO checks the query. */
  readonly hasQueryRules: boolean;
  /** The media types of `@ApiConsumes()`, if its body is read. */
  readonly consumes: readonly string[];
}

type Numbered = OperationObject & { 'x-route-number'?: number };

/** Maps the operations of a document to their routes. */
export class Routes {
  private readonly routes: readonly Route[];

  /** Numbers the handlers. `@nestjs/swagger` copies the numbers into the operations. */
  constructor(app: INestApplication) {
    this.routes = handlersOf(app.get(DiscoveryService)).map(
      ({ controller, handler, name, method }, number) => {
        const extensions = Reflect.getMetadata(DECORATORS.API_EXTENSION, handler) as object | undefined;
        const numbered = { ...extensions, 'x-route-number': number };
        Reflect.defineMetadata(DECORATORS.API_EXTENSION, numbered, handler);
        return {
          name,
          tag: tagOf(controller),
          pages: pageSchemaOf(handler),
          errors: [...apiErrorsOf(controller), ...apiErrorsOf(handler)],
          deprecation: deprecationOf(handler),
          isIdempotent: idempotentOptions(handler) !== undefined,
          hasBodyRules: bodyClass(handler, controller) !== undefined,
          hasQueryRules: queryClass(handler, controller) !== undefined,
          consumes: method === RequestMethod.GET ? [] : (consumedTypes(handler, controller) ?? []),
        };
      },
    );
  }

  /** The first one, as an example. */
  get deprecation(): Deprecation | undefined {
    return this.routes.find(({ deprecation }) => deprecation)?.deprecation;
  }

  /** The route of an operation. Removes the number. */
  take(operation: OperationObject): Route | undefined {
    const numbered: Numbered = operation;
    const number = numbered['x-route-number'];
    delete numbered['x-route-number'];
    return this.routes[number ?? -1];
  }
}
