import type { DiscoveryService } from '@nestjs/core';
import { DECORATORS } from '@nestjs/swagger';
import { handlersOf, parametersOf, typesOf } from '../../http/core/handlers.js';
import { RouteParamtypes } from '../../http/core/nest-metadata.js';

const PLACES = [
  ['body', RouteParamtypes.BODY],
  ['query', RouteParamtypes.QUERY],
  ['path', RouteParamtypes.PARAM],
] as const;

/**
 * Lists the handlers that take a whole body, query or path without a class, a pipe or a description: nothing
 * validates it. So it is after `import type`, and of a union, an interface or `unknown`, which cannot be told
 * from one another at run time.
 */
export const unvalidated = (discovery: DiscoveryService): string[] =>
  handlersOf(discovery).flatMap(({ handler, controller, name }) => {
    const types = typesOf(handler, controller);
    const described = (Reflect.getMetadata(DECORATORS.API_PARAMETERS, handler) ?? []) as { in?: string }[];
    return Object.entries(parametersOf(handler, controller)).flatMap(([key, { index, data, pipes = [] }]) => {
      const [place] = PLACES.find(([, kind]) => key.startsWith(`${kind}:`)) ?? [];
      const hasClass = types[index] !== Object && types[index] !== Function;
      const isOther = place === undefined || data !== undefined || pipes.length > 0;
      if (isOther || hasClass || described.some((parameter) => parameter.in === place)) return [];
      return [
        `${controller.name}.${name}: nothing validates its ${place}. Import its class without "type", write no union, or describe it, such as by @ApiBody().`,
      ];
    });
  });
