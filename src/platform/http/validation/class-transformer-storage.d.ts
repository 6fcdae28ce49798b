/** The part of class-transformer that its types leave out: what its decorators have recorded. */
declare module 'class-transformer/cjs/storage.js' {
  import type { TypeHelpOptions, TypeOptions } from 'class-transformer';
  export interface TypeMetadata {
    readonly target: object;
    readonly propertyName: string;
    readonly reflectedType: unknown;
    readonly typeFunction: (options: TypeHelpOptions) => unknown;
    readonly options: TypeOptions;
  }
  export const defaultMetadataStorage: {
    findExposeMetadata(
      target: object,
      property: string,
    ): { readonly options: { readonly name?: string } } | undefined;
    findTypeMetadata(target: object, property: string): TypeMetadata | undefined;
  };
}
