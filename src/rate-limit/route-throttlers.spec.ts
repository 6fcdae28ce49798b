import { Controller, Get, Module, type Type, UseGuards } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import {
  SkipThrottle,
  Throttle,
  ThrottlerGuard,
  ThrottlerModule,
  ThrottlerStorageService,
} from '@nestjs/throttler';
import { RouteThrottlers } from './route-throttlers.js';

class OwnGuard extends ThrottlerGuard {}

/** A module with one route, decorated. */
function moduleWith(
  decorator: MethodDecorator,
  imports: NonNullable<Parameters<typeof Module>[0]['imports']> = [],
) {
  @Controller()
  class ReportsController {
    @Get()
    @decorator
    search(): object {
      return {};
    }
  }

  @Module({ imports, controllers: [ReportsController] })
  class ReportsModule {}
  return ReportsModule;
}

@Controller()
class PlainController {}

@Module({ controllers: [PlainController] })
class PlainModule {}

const plans = ThrottlerModule.forRoot([{ name: 'plan', ttl: 60_000, limit: 60 }]);

async function find(module: Type, globals = [plans]) {
  const testing = await Test.createTestingModule({
    imports: [...globals, DiscoveryModule, PlainModule, module],
    providers: [RouteThrottlers, OwnGuard],
  }).compile();
  return testing.get(RouteThrottlers).find(OwnGuard);
}

const forRoot = ThrottlerModule.forRoot([{ name: 'short', ttl: 1_000, limit: 3 }]);

describe('the throttlers of routes', () => {
  it('are those of ThrottlerModule.forRoot() and of @Throttle(), and not the plan', async () => {
    const decorator = Throttle({ short: { limit: 1 }, long: { limit: 5, ttl: 60_000 } });
    const found = await find(moduleWith(decorator, [forRoot]));
    expect(found.map(({ name }) => name)).toEqual(['short', 'long']);
  });

  it.each([
    [
      'a throttler without a limit',
      Throttle({ default: { ttl: 1_000 } }),
      '@Throttle() of ReportsController.search(): no ThrottlerModule.forRoot() of its module defines "default", so it needs a limit and a ttl.',
    ],
    [
      'a named throttler without a ttl',
      Throttle({ short: { limit: 1 } }),
      '@Throttle() of ReportsController.search(): no ThrottlerModule.forRoot() of its module defines "short", so it needs a limit and a ttl.',
    ],
    [
      'the name of the plan',
      Throttle({ plan: { limit: 1, ttl: 1_000 } }),
      '@Throttle() of ReportsController.search(): the service itself has a throttler or a window named "plan".',
    ],
    [
      'a name that no header can have',
      Throttle({ 'a"b': { limit: 1, ttl: 1_000 } }),
      '@Throttle() of ReportsController.search(): "a"b" is not a name of letters, digits, ".", "_" or "-".',
    ],
    [
      'the skip of an unknown throttler',
      SkipThrottle({ shrot: true }),
      '@SkipThrottle() of ReportsController.search(): no throttler of the route is named "shrot".',
    ],
    [
      'a second guard',
      UseGuards(ThrottlerGuard),
      'ReportsModule has the guard ThrottlerGuard. Remove it: the guard of the service serves @Throttle(), @SkipThrottle() and ThrottlerModule.forRoot() on every route.',
    ],
  ])('refuse %s', async (_, decorator, message) => {
    await expect(find(moduleWith(decorator))).rejects.toThrow(message);
  });

  it('refuse a second global guard', async () => {
    @Module({ imports: [forRoot], providers: [{ provide: APP_GUARD, useClass: ThrottlerGuard }] })
    class GuardModule {}
    await expect(find(GuardModule)).rejects.toThrow('GuardModule has the guard ThrottlerGuard.');
  });

  it('refuse to be those of every module', async () => {
    await expect(find(moduleWith(SkipThrottle()), [forRoot, plans])).rejects.toThrow(
      'Import ThrottlerModule.forRoot() in a module that is a class, not in a dynamic module.',
    );
  });

  it('refuse a storage of their own', async () => {
    const options = { throttlers: [{ ttl: 1_000, limit: 3 }], storage: new ThrottlerStorageService() };
    const module = moduleWith(SkipThrottle(), [ThrottlerModule.forRoot(options)]);
    await expect(find(module)).rejects.toThrow(
      'ThrottlerModule.forRoot() of ReportsModule: the option "storage" is not supported.',
    );
  });
});
