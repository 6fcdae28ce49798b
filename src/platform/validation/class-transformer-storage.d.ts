/** The part of class-transformer that its types leave out: what its decorators have recorded. */
declare module 'class-transformer/cjs/storage.js' {
  interface TypeMetadata {
    readonly target: object;
    readonly propertyName: string;
    readonly reflectedType: unknown;
    readonly typeFunction: (object?: unknown) => unknown;
    readonly options: object;
  }
  export const defaultMetadataStorage: {
    findExposeMetadata(
      target: object,
      property: string,
    ): { readonly options: { readonly name?: string } } | undefined;
    findTypeMetadata(target: object, property: string): TypeMetadata | undefined;
    addTypeMetadata(metadata: TypeMetadata): void;
  };
}
