import { type ExecutionContext, Injectable, type Type } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import {
  getOptionsToken,
  ThrottlerGuard,
  ThrottlerModule,
  type ThrottlerModuleOptions,
  type ThrottlerOptions,
} from '@nestjs/throttler';
import { MINUTE } from './plan-throttler.storage.js';

/** What `@Throttle()` and `@SkipThrottle()` set on a route or its controller, followed by the throttler's name. */
const LIMIT = 'THROTTLER:LIMIT';
const TTL = 'THROTTLER:TTL';
export const SKIP = 'THROTTLER:SKIP';

/** The throttler whose limits are those of the plans. */
export const PLAN = 'plan';
/** The throttler of `@Throttle({ default: … })` and of `@SkipThrottle()`, which skips the plan as well. */
export const DEFAULT = 'default';

const NAME = /^[\w.-]+$/; // what may stand in the RateLimit header
/** The windows of a plan and of `default` in that header. */
const RESERVED = [PLAN, 'minute', 'day', 'route'];
const UNSUPPORTED = ['storage', 'ipv6SubnetPrefix', 'setHeaders'];

type CommonOptions = Exclude<ThrottlerModuleOptions, readonly unknown[]>;
type Module = NonNullable<ReturnType<DiscoveryService['getControllers']>[number]['host']>;
type Places = [handler: () => unknown, controller: Type];

export interface RouteThrottler extends ThrottlerOptions {
  readonly name: string;
  /** Whose routes it counts. */
  readonly controllers: ReadonlySet<Type>;
  readonly errorMessage?: CommonOptions['errorMessage'];
}

type Throttler = Omit<RouteThrottler, 'controllers'>;

/** Finds the throttlers of routes when the service starts. What it cannot serve ends the start. */
@Injectable()
export class RouteThrottlers {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  /**
   * The throttlers of each `ThrottlerModule.forRoot()`, for the controllers of the module that imports it, and those
   * that `@Throttle()` itself gives a limit and a ttl.
   * @param guard the service's own
   * @throws Error
   */
  find(guard: Type): RouteThrottler[] {
    const modules = [...new Set(this.discovery.getControllers().flatMap(({ host }) => host ?? []))];
    this.refuseOtherGuards(guard, modules);
    if (!modules.some((module) => isPlan(optionsOf(module)))) {
      throw new Error(
        'Import ThrottlerModule.forRoot() in a module that is a class, not in a dynamic module.',
      );
    }
    const found: RouteThrottler[] = [];
    const decorated = new Map<string, Set<Type>>();
    for (const module of modules) {
      const own = throttlersOf(module);
      const names = own.map(({ name }) => name);
      const routes = this.routesOf(module);
      for (const places of routes) {
        const further = this.check(places, names);
        for (const name of further) decorated.set(name, (decorated.get(name) ?? new Set()).add(places[1]));
      }
      const controllers = new Set(routes.map(([, controller]) => controller));
      found.push(...own.map((throttler) => limitedTo(controllers, throttler)));
    }
    return [...found, ...[...decorated].map(([name, controllers]) => this.ofDecorator(name, controllers))];
  }

  private ofDecorator(name: string, controllers: ReadonlySet<Type>): RouteThrottler {
    const skipIf = (context: ExecutionContext) =>
      this.reflector.getAllAndOverride(LIMIT + name, [context.getHandler(), context.getClass()]) ===
      undefined;
    return limitedTo(controllers, { name, limit: Infinity, ttl: MINUTE, skipIf });
  }

  private routesOf({ controllers }: Module): Places[] {
    return [...controllers.values()].flatMap(({ metatype }) => {
      const controller = metatype as Type; // of a controller always a class
      const prototype = controller.prototype as Record<string, () => unknown>;
      return this.scanner
        .getAllMethodNames(prototype)
        .flatMap((name): Places[] => (prototype[name] ? [[prototype[name], controller]] : []));
    });
  }

  /** @param own names that the route's module defines. @returns further names, which `@Throttle()` defines */
  private check(places: Places, own: readonly string[]): string[] {
    const [handler, controller] = places;
    const route = `${controller.name}.${handler.name}()`;
    const further = namesAfter(LIMIT, places).filter((name) => !own.includes(name));
    for (const name of further) {
      checkName(name, `@Throttle() of ${route}`);
      const value = (key: string): unknown => this.reflector.getAllAndOverride(key + name, places);
      if (value(LIMIT) !== undefined && (value(TTL) !== undefined || name === DEFAULT)) continue;
      throw new Error(
        `@Throttle() of ${route}: no ThrottlerModule.forRoot() of its module defines "${name}", so it needs a limit and a ttl.`,
      );
    }
    const known = [...own, ...further, DEFAULT];
    const unknown = namesAfter(SKIP, places).find((name) => !known.includes(name));
    if (unknown === undefined) return further;
    throw new Error(`@SkipThrottle() of ${route}: no throttler of the route is named "${unknown}".`);
  }

  private refuseOtherGuards(guard: Type, modules: readonly Module[]): void {
    const injectables = modules.flatMap((module) => [...module.injectables.values()]);
    for (const { metatype, host } of [...this.discovery.getProviders(), ...injectables]) {
      if (metatype === guard || typeof metatype !== 'function') continue;
      if (metatype !== ThrottlerGuard && !(metatype.prototype instanceof ThrottlerGuard)) continue;
      throw new Error(
        `${host?.name ?? 'A module'} has the guard ${metatype.name}. Remove it: the guard of the service serves @Throttle(), @SkipThrottle() and ThrottlerModule.forRoot() on every route.`,
      );
    }
  }
}

/** A module sees the options that it imports itself, and otherwise those of the service, which is the first global module. */
function optionsOf({ imports }: Module): CommonOptions {
  const throttlerModule = [...imports].find(({ metatype }) => metatype === ThrottlerModule);
  const options = throttlerModule?.getProviderByKey<ThrottlerModuleOptions>(getOptionsToken()).instance ?? [];
  return Array.isArray(options) ? { throttlers: options } : options;
}

const isPlan = ({ throttlers }: CommonOptions): boolean => throttlers.some(({ name }) => name === PLAN);

function throttlersOf(importing: Module): Throttler[] {
  const { throttlers, ...common } = optionsOf(importing);
  if (isPlan({ throttlers })) return [];
  return throttlers.map((throttler) => {
    const { name = DEFAULT, ...options } = { ...common, blockDuration: 0, ...throttler };
    const where = `ThrottlerModule.forRoot() of ${importing.name}`;
    if (name !== DEFAULT) checkName(name, where);
    const unsupported = UNSUPPORTED.find((option) => option in options);
    if (unsupported === undefined) return { name, ...options };
    throw new Error(`${where}: the option "${unsupported}" is not supported.`);
  });
}

const limitedTo = (controllers: ReadonlySet<Type>, throttler: Throttler): RouteThrottler => ({
  blockDuration: 0,
  ...throttler,
  controllers,
  skipIf: (context) => !controllers.has(context.getClass()) || throttler.skipIf?.(context) === true,
});

function checkName(name: string, where: string): void {
  if (RESERVED.includes(name)) {
    throw new Error(`${where}: the service itself has a throttler or a window named "${name}".`);
  }
  if (!NAME.test(name))
    throw new Error(`${where}: "${name}" is not a name of letters, digits, ".", "_" or "-".`);
}

const namesAfter = (key: string, places: Places): string[] => [
  ...new Set(
    places
      .flatMap((place) => Reflect.getMetadataKeys(place) as unknown[])
      .filter((other): other is string => typeof other === 'string' && other.startsWith(key))
      .map((other) => other.slice(key.length)),
  ),
];
