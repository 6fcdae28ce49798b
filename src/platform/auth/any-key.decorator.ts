import { SetMetadata } from '@nestjs/common';
import { isMarked } from '../http/per-handler.js';

const ANY_KEY = 'auth:any-key';

/**
 * A controller or handler that writes, and that every API key may call: that it has no `@RequireScope()` is
 * no mistake.
 */
export const AnyKey = (): ClassDecorator & MethodDecorator => SetMetadata(ANY_KEY, true);

export const isForAnyKey = isMarked(ANY_KEY);
