import type { DiscoveryService } from '@nestjs/core';
import { ErrorCatalog } from './error-catalog.js';

describe('the catalogue of a service without operations', () => {
  const discovery = { getControllers: () => [] } as unknown as DiscoveryService; // the only method that it calls
  const codes = new ErrorCatalog(discovery).entries.map(({ example }) => example.code);

  it('has the errors of the pipeline', () => {
    expect(codes).toEqual(expect.arrayContaining(['missing_api_key', 'route_not_found', 'internal_error']));
  });

  it.each(['endpoint_removed', 'precondition_failed', 'invalid_cursor'])(
    'has no %s, which only a decorator of an operation brings',
    (code) => {
      expect(codes).not.toContain(code);
    },
  );
});
