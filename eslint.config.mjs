import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';
import { validatedTypes } from './.ci/validated-types.mjs';

export default tseslint.config(
  // What openapi-typescript writes has its own style.
  {
    ignores: [
      '**/dist/',
      '**/node_modules/',
      'coverage/',
      '.petstore/',
      'clients/typescript/src/schema.ts',
      'tools/package/globals.d.ts',
    ],
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { local: { rules: { 'validated-types': validatedTypes } } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'off', // dependency injection needs the classes at run time
      'local/validated-types': 'error',
      '@typescript-eslint/no-extraneous-class': 'off', // Nest modules are classes without members
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off', // a response DTO is built as a literal
      // The compiler itself refuses a string for an enum of strings, and there are no others. It takes a fifth of the time.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      // @nestjs/swagger, class-transformer and pipes read the type of a property or parameter from its annotation.
      '@typescript-eslint/no-inferrable-types': ['error', { ignoreProperties: true, ignoreParameters: true }],
      // It asks for `value!`, which `no-non-null-assertion` refuses. Write `value as Type`, or better a check.
      '@typescript-eslint/non-nullable-type-assertion-style': 'off',
      'no-console': 'error',
      // `nest generate` leaves it out. The compiler takes the `.guard` of `./weekday.guard` for an extension, and has no advice.
      'no-restricted-syntax': [
        'error',
        {
          selector:
            ':matches(ImportDeclaration, ExportNamedDeclaration, ExportAllDeclaration, ImportExpression) > ' +
            'Literal.source[value=/^[.]/]:not([value=/[.](js|mjs|cjs|json)$/])',
          message: 'Node.js imports files by their whole name: end it with ".js".',
        },
      ],
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'Only src/platform/kernel/config/ and the *.config.ts of a module read the environment.',
        },
      ],
    },
  },
  {
    // Clients are programs of their own; a *.config.ts of a module reads its settings.
    files: [
      'src/platform/kernel/config/**/*.ts',
      'src/**/*.config.ts',
      'test/support/**/*.ts',
      'clients/**/*.ts',
    ],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    // The nearest tsconfig.json is not theirs: the project service would load the program of the service a second time.
    files: ['clients/typescript/test/**/*.ts'],
    languageOptions: { parserOptions: { projectService: false, project: './tsconfig.json' } },
  },
  {
    files: ['**/*.spec.ts', '**/*.e2e-spec.ts', '**/*.slow-spec.ts'],
    rules: {
      // supertest types a body as `any`; what it holds is what the test asserts.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  prettier,
);
