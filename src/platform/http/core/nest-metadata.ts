/** The names by which Nest keeps what its decorators say of a handler. The only import from inside Nest. */
export {
  GUARDS_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
  REDIRECT_METADATA,
  RENDER_METADATA,
  RESPONSE_PASSTHROUGH_METADATA,
  ROUTE_ARGS_METADATA,
  RouteParamtypes,
  SSE_METADATA,
  VERSION_METADATA,
} from '@nestjs/common/internal.js';
