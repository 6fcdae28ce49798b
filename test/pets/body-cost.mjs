import 'reflect-metadata';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsObject, IsOptional, IsString, ValidateNested } from 'class-validator';
import { parseBody } from '../../dist/src/platform/http/core/body/body.guard.js';
import { RequestValidationPipe } from '../../dist/src/platform/http/validation/validation.pipe.js';
import { CreatePetDto } from '../../dist/src/pets/dto/create-pet.dto.js';

/**
 * Prints, as JSON, the cost of each body of 16 KiB from its bytes to its error: CPU milliseconds, the minimum of
 * several runs. It is a separate, built program, because accessing globals inside Jest takes many times as long.
 */

class Item {}
IsString()(Item.prototype, 'name');

/** A module's DTO. */
class OrderDto {}
for (const rule of [
  IsOptional(),
  IsArray(),
  ArrayMaxSize(50),
  ValidateNested({ each: true }),
  Type(() => Item),
]) {
  rule(OrderDto.prototype, 'items');
}
for (const rule of [IsOptional(), ValidateNested({ each: true }), Type(() => Item)])
  rule(OrderDto.prototype, 'unbounded');
for (const rule of [IsOptional(), ValidateNested(), Type(() => Item)]) rule(OrderDto.prototype, 'item');
for (const rule of [IsOptional(), IsObject()]) rule(OrderDto.prototype, 'anything');

const SIZE = 16 * 1024; // bytes: the size limit of a body

/** Repeats a part as often as fits into a body, between its start and its end. */
function filled(start, part, end) {
  const parts = [];
  for (let length = start.length + end.length, index = 0; ; index++) {
    const next = typeof part === 'string' ? part : part(index);
    length += Buffer.byteLength(next);
    if (length > SIZE) return start + parts.join('') + end;
    parts.push(next);
  }
}

const nest = (levels) => '['.repeat(levels) + ']'.repeat(levels);

const BODIES = {
  'an array without an end': filled('', '[', ''),
  'objects without an end': filled('', '{"a":', ''),
  'deep arrays': nest(SIZE / 2),
  'empty arrays': filled('[', '[],', '1]'),
  'nested arrays': filled('[', `${nest(30)},`, '1.0]'),
  'objects with a fraction each': filled('[', '{"a":1.0},', '1]'),
  fractions: filled('[', '1.0,', '1]'),
  'large integers': filled('[', '1234567890123456789,', '1]'),
  'a name of empty arrays': filled('{"categoryId":1,"name":[', '[],', '1]}'),
  'a name of nested arrays': filled('{"categoryId":1.0,"name":[', `${nest(29)},`, '1]}'),
  'a name of empty objects': filled('{"categoryId":1,"name":[', '{},', '1]}'),
  'a name of objects with a fraction each': filled('{"name":[', '{"a":1.0},', '1]}'),
  'a name of many properties': filled('{"name":{', (i) => `"a${i}":1,`, '"a":1}}'),
  'a name of numbers': filled('{"name":[', '1,', '1]}'),
  'a name of __proto__': filled('{"name":[', '{"__proto__":1},', '1]}'),
  'a long name': filled('{"categoryId":1,"name":"', 'a', '"}'),
  'a name of spaces': filled('{"categoryId":1,"name":"', ' ', '"}'),
  'a name of emoji': filled('{"categoryId":1,"name":"', '🐶', '"}'),
  'a name of escapes': filled('{"categoryId":1,"name":"', '\\u0041', '"}'),
  'a name of backslashes': filled('{"categoryId":1,"name":"', '\\\\', '"}'),
  'a long number': filled('{"name":"Rex","categoryId":', '1', '}'),
  'a long fraction': filled('{"name":"Rex","categoryId":0.', '1', '}'),
  'a long exponent': filled('{"name":"Rex","categoryId":1e', '1', '}'),
  'many properties': filled('{', (i) => `"a${i}":1,`, '"a":1}'),
  'many properties with a fraction each': filled('{', (i) => `"a${i}":1.0,`, '"a":1}'),
  'one property many times': filled('{', '"a":1.0,', '"a":1}'),
  'its own property many times': filled('{', '"name":1.0,', '"name":1}'),
  'names with escapes': filled('{', '"\\u0061":1,', '"a":1}'),
  'nested names with escapes': filled('[', '{"\\"":[{"\\n":1.0}]},', '1]'),
  'one name with an escape, at the end': filled('{', '"a":"",', '"\\u0061":1}'),
  'texts with escapes and spaces': filled('["\\"', '\\"" , "', '"]'),
  'white space': filled('', ' ', '{}'),
  'lines before a mistake': filled('', '\n', 'x'),
  'numbers before a mistake': filled('[', '1,', ''),
  'a text without an end': filled('"', 'a', ''),
  'backslashes without an end': filled('"', '\\\\', ''),
  'too many items': filled('{"items":[', '{},', '{}]}'),
  'too many items with many properties': filled('{"items":[', (i) => `{"a${i}":1},`, '{}]}'),
  'items without a maximum': filled('{"unbounded":[', '{},', '{}]}'),
  'items in arrays without a maximum': filled('{"unbounded":[', '[{},{},{}],', '{}]}'),
  'as many items as may be': `{"unbounded":[${Array(1_000).fill('{}').join()}]}`,
  'an item of many properties': filled('{"item":{', (i) => `"a${i}":1,`, '"a":1}}'),
  'an item with a name of empty arrays': filled('{"item":{"name":[', '[],', '[]]}}'),
  'anything of nested arrays': filled('{"anything":{"a":[', `${nest(28)},`, '1]}}'),
};

const RUNS = 40;
const ENOUGH = 2.5; // milliseconds: within the promise, so no further run is needed

async function cpuOf(work) {
  const before = process.cpuUsage();
  try {
    await work();
  } catch {
    // it must be refused
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function costOf(pipe, bytes, metatype) {
  const take = async () => pipe.transform(parseBody(bytes), { type: 'body', metatype });
  let least = Infinity;
  for (let run = 0; run < RUNS && least > ENOUGH; run++) least = Math.min(least, await cpuOf(take));
  return least;
}

const costs = {};
const pipe = new RequestValidationPipe();
for (const [name, text] of Object.entries(BODIES)) {
  for (const dto of [CreatePetDto, OrderDto]) {
    costs[name] = Math.max(costs[name] ?? 0, await costOf(pipe, Buffer.from(text), dto));
  }
}
process.stdout.write(JSON.stringify(costs));
