import { getMetadataStorage, IsInt, IsString, Length, validate } from 'class-validator';
import { rememberRules } from './remember-rules.js';

rememberRules(getMetadataStorage());

class Named {
  @IsString()
  name: unknown = 1;
}

class Kennel extends Named {
  @IsInt({ groups: ['counted'] })
  places: unknown = 'many';
}

const brokenRules = async (object: object, groups?: string[]) =>
  (await validate(object, { groups })).flatMap(({ property, constraints }) =>
    Object.keys(constraints ?? {}).map((rule) => `${property} ${rule}`),
  );

it('takes the rules of a class and of those it inherits from, each time', async () => {
  for (let time = 0; time < 3; time++) {
    expect(await brokenRules(new Named())).toEqual(['name isString']);
    expect(await brokenRules(new Kennel())).toEqual(['places isInt', 'name isString']);
  }
});

it('keeps groups apart', async () => {
  expect(await brokenRules(new Kennel(), ['counted'])).toEqual(['places isInt']);
  expect(await brokenRules(new Kennel(), ['other'])).toEqual(['undefined unknownValue']); // it has no rule
  expect(await brokenRules(new Kennel())).toEqual(['places isInt', 'name isString']);
});

it('notices a rule that is added later, also to a class that is inherited from', async () => {
  expect(await brokenRules(new Kennel())).toHaveLength(2);
  Length(3)(Named.prototype, 'name');
  expect(await brokenRules(new Kennel())).toEqual(['places isInt', 'name isString', 'name isLength']);
});
