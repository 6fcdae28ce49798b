/** The metadata of the decorators of class-transformer, which it exports without types. */
declare module 'class-transformer/cjs/storage.js' {
  export { defaultMetadataStorage } from 'class-transformer/types/storage.js';
}
/** The executor of its `plainToInstance`, and its options. */
declare module 'class-transformer/cjs/TransformOperationExecutor.js' {
  export { TransformOperationExecutor } from 'class-transformer/types/TransformOperationExecutor.js';
}
declare module 'class-transformer/cjs/constants/default-options.constant.js' {
  export { defaultOptions } from 'class-transformer/types/constants/default-options.constant.js';
}
