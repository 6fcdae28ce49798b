import { ExceptionsHandler } from '@nestjs/core/exceptions/exceptions-handler.js';
import { getMetadataStorage } from 'class-validator';
import { rememberRules } from '../../http/validation/remember-rules.js';
import { handedOn } from '../../kernel/errors/handling-failed.js';

let arePatched = false;

/**
 * What the platform changes in libraries and in the language, once in a process. Nest has no way for the first,
 * class-validator none for the second; `library-internals.spec.ts` names what each relies on.
 */
export function patchLibraries(): void {
  if (arePatched) return;
  arePatched = true;
  handFiltersOn();
  rememberRules(getMetadataStorage());
  writeBigInts();
}

/**
 * What a filter throws is an error like others, with the one that it was given. Nest forgets that one, and
 * leaves a request whose filter rejects without a response.
 */
function handFiltersOn(): void {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its object below
  const { setCustomFilters } = ExceptionsHandler.prototype;
  ExceptionsHandler.prototype.setCustomFilters = function (filters) {
    const guarded = filters.map((filter) => ({ ...filter, func: handedOn(filter.func) }));
    setCustomFilters.call(this, guarded);
  };
}

/**
 * Makes `JSON.stringify` write a bigint digit for digit everywhere: Nest serialises server-sent events and
 * streamed lines itself. Node.js 20 does not have `rawJSON`, so a bigint in such an event or line throws
 * there.
 */
function writeBigInts(): void {
  const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown }; // the types are those of Node.js 20
  if (!rawJSON) return;
  Object.defineProperty(BigInt.prototype, 'toJSON', {
    configurable: true,
    value(this: bigint) {
      return rawJSON(String(this));
    },
  });
}
