/** The parts of a request that the validation pipe judges by the type of the parameter. */
const PARTS = ['Body', 'Query', 'Param'];

/**
 * An ESLint rule: the type of `@Body()`, `@Query()` or `@Param()` must be a class at run time. After `import type`, and of a
 * union, the metadata of the handler says `Object`, and the pipe lets everything pass. `unvalidated` says so, too, but not of what
 * looks the same at run time and may be meant, such as `unknown` with a pipe.
 * @type {import('eslint').Rule.RuleModule}
 */
export const validatedTypes = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      typeOnly: '{{name}} is imported as a type, so nothing validates @{{part}}(). Import it without "type".',
      union:
        'Nothing validates @{{part}}() of a union: TypeScript keeps no class of it. Write "body?: {{name}}" if it may be absent.',
    },
  },
  create(context) {
    /** Whether a name is that of `import type`, or of `type` within braces. */
    const isTypeOnly = (identifier) => {
      for (let scope = context.sourceCode.getScope(identifier); scope; scope = scope.upper) {
        const variable = scope.set.get(identifier.name);
        if (variable)
          return variable.defs.some(
            ({ node, parent }) => parent?.importKind === 'type' || node.importKind === 'type',
          );
      }
      return false;
    };
    return {
      Decorator({ expression, parent }) {
        const part = expression.callee?.name;
        const type = (parent.left ?? parent).typeAnnotation?.typeAnnotation;
        if (!PARTS.includes(part) || !type) return;
        const [member] = expression.arguments;
        const [first] = type.type === 'TSUnionType' ? namesIn(type) : [];
        if (first && member?.type !== 'Literal' && !isTypeOnly(first))
          context.report({ node: type, messageId: 'union', data: { name: first.name, part } });
        for (const identifier of namesIn(type)) {
          // A member, such as @Query('sort'), may have a type that is no class; a DTO is one.
          if (member?.type === 'Literal' && !identifier.name.endsWith('Dto')) continue;
          if (isTypeOnly(identifier))
            context.report({
              node: identifier,
              messageId: 'typeOnly',
              data: { name: identifier.name, part },
            });
        }
      },
    };
  },
};

/** The names that stand in the metadata: `Dto`, `dtos.Dto` by its first part, and each of `Dto | undefined`. */
function namesIn(type) {
  if (type.type === 'TSUnionType') return type.types.flatMap(namesIn);
  if (type.type !== 'TSTypeReference') return [];
  let name = type.typeName;
  while (name.type === 'TSQualifiedName') name = name.left;
  return name.type === 'Identifier' ? [name] : [];
}
