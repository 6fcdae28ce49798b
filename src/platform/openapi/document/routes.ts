import type { INestApplication } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { DECORATORS } from '@nestjs/swagger';
import { deprecationOf } from '../../deprecation/deprecation.js';
import { idempotentOptions } from '../../idempotency/idempotent.metadata.js';
import type { DomainError } from '../../errors/domain-error.js';
import { apiErrorsOf } from '../../errors/api-errors.decorator.js';
import { tagOf } from '../../http/operation-marks.js';
import { pageSchemaOf, type PageSchema } from '../../pagination/paged.decorator.js';
import { handlersOf } from '../../http/handlers.js';
import type { OperationObject, TagObject } from './schemas.js';

/** The metadata of a route that `@nestjs/swagger` does not read. */
export interface Route {
  readonly name: string;
  /** The `@Tag()` of its controller. */
  readonly tag: TagObject | undefined;
  /** The schema that `@Paged()` names. */
  readonly pages: PageSchema | undefined;
  readonly errors: readonly DomainError[];
  readonly isDeprecated: boolean;
  readonly isIdempotent: boolean;
}

type Numbered = OperationObject & { 'x-route-number'?: number };

/** Maps the operations of a document to their routes. */
export class Routes {
  private readonly routes: readonly Route[];

  /** Numbers the handlers. `@nestjs/swagger` copies the numbers into the operations. */
  constructor(app: INestApplication) {
    this.routes = handlersOf(app.get(DiscoveryService)).map(({ controller, handler, name }, number) => {
      const extensions = Reflect.getMetadata(DECORATORS.API_EXTENSION, handler) as object | undefined;
      const numbered = { ...extensions, 'x-route-number': number };
      Reflect.defineMetadata(DECORATORS.API_EXTENSION, numbered, handler);
      return {
        name,
        tag: tagOf(controller),
        pages: pageSchemaOf(handler),
        errors: [...apiErrorsOf(controller), ...apiErrorsOf(handler)],
        isDeprecated: deprecationOf(handler) !== undefined,
        isIdempotent: idempotentOptions(handler) !== undefined,
      };
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
