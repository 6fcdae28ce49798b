/**
 * Milliseconds to wait for PostgreSQL and for a slot, instead of what each part of the service waits by itself. Only tests provide
 * it: on a busy machine, waiting says nothing about what they assert.
 */
export const PATIENCE = Symbol('patience');
