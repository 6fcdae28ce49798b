import { Linter } from 'eslint';
import tseslint from 'typescript-eslint';
// @ts-expect-error -- configuration of ESLint has no types
import { validatedTypes } from '../../.ci/validated-types.mjs';

/** What the rule says about the parameters of a handler. */
function problems(imports: string, parameters: string): string[] {
  const code = `${imports}\nclass PetsController {\n  @Post()\n  create(${parameters}) {}\n}`;
  const found = new Linter().verify(code, {
    languageOptions: { parser: tseslint.parser },
    plugins: { local: { rules: { 'validated-types': validatedTypes } } },
    rules: { 'local/validated-types': 'error' },
  });
  return found.map(({ message }) => message);
}

describe('a parameter of a handler', () => {
  it.each([
    ["import type { CreatePetDto } from './dto.js';", '@Body() pet: CreatePetDto'],
    ["import { type CreatePetDto } from './dto.js';", '@Body() pet: CreatePetDto'],
    ["import type { CreatePetDto } from './dto.js';", '@Body() pet: CreatePetDto = {}'],
    ["import type { CreatePetDto } from './dto.js';", '@Body() pet: CreatePetDto | undefined'],
    ["import type { CreatePetDto } from './dto.js';", "@Body('pet') pet: CreatePetDto"],
    ["import type { CreatePetDto } from './dto.js';", '@Body(new MyPipe()) pet: CreatePetDto'],
    ["import type CreatePetDto from './dto.js';", '@Body() pet: CreatePetDto'],
    ["import type * as CreatePetDto from './dto.js';", '@Body() pet: CreatePetDto.New'],
  ])('of a class after %s is refused: %s', (imports, parameters) => {
    expect(problems(imports, parameters)).toEqual([
      'CreatePetDto is imported as a type, so nothing validates @Body(). Import it without "type".',
    ]);
  });

  it.each(['CreatePetDto | undefined', 'CreatePetDto | UpdatePetDto', 'null | CreatePetDto'])(
    'is no union: %s',
    (type) => {
      expect(problems("import { CreatePetDto } from './dto.js';", `@Body() pet: ${type}`)).toEqual([
        'Nothing validates @Body() of a union: TypeScript keeps no class of it. Write "body?: CreatePetDto" if it may be absent.',
      ]);
    },
  );

  it.each(['Query', 'Param'])('of @%s() must be a class too', (part) => {
    const [problem] = problems(
      "import type { PetQuery } from './pet.query.js';",
      `@${part}() query: PetQuery`,
    );
    expect(problem).toContain(`nothing validates @${part}()`);
  });

  it.each([
    ["import { CreatePetDto } from './dto.js';", '@Body() pet: CreatePetDto'],
    ["import type { Sort } from './sort.js';", "@Query('sort') sort: Sort"],
    ["import type { Int64 } from './int64.js';", "@Id('petId', PetNotFound) id: Int64"],
    ["import type { Request } from 'express';", '@Req() request: Request'],
    ["import { Sort } from './sort.js';", "@Query('sort') sort: Sort | undefined"],
    ["import { CreatePetDto } from './dto.js';", '@Body() pet?: CreatePetDto'],
    ['', '@Body() pet: unknown'],
    ['', '@Body() pet: object | undefined'],
  ])('may have after %s: %s', (imports, parameters) => {
    expect(problems(imports, parameters)).toEqual([]);
  });
});
