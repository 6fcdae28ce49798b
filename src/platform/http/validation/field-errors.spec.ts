import * as classValidator from 'class-validator';
import { fieldCode } from './field-errors.js';

describe('the code of a rule', () => {
  it.each([
    ['isDefined', 'required'],
    ['isString', 'type'],
    ['nestedValidation', 'type'],
    ['isEnum', 'enum'],
    ['max', 'range'],
    ['maxLength', 'length'],
    ['arrayMaxSize', 'length'],
    ['isEmail', 'format'],
    ['isUuid', 'format'],
    ['matches', 'format'],
    ['isLongerThan', 'invalid'],
    ['constructor', 'invalid'],
  ])('%s is %s', (rule, code) => {
    expect(fieldCode(rule, undefined)).toBe(code);
  });

  it('is the code in its context, if there is one', () => {
    expect(fieldCode('isString', { code: 'own' })).toBe('own');
    expect(fieldCode('isString', { code: 5 })).toBe('type');
  });

  it('is one of six codes for the rules of class-validator', () => {
    const rules = Object.values(classValidator).filter((exported) => typeof exported === 'string');
    expect(rules.length).toBeGreaterThan(80);
    const codes = new Set(rules.map((rule) => fieldCode(rule, undefined)));
    expect([...codes].sort()).toEqual(['enum', 'format', 'length', 'range', 'required', 'type']);
  });
});
