import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';

/** Documents a property of a response that is a signed 64-bit integer. */
export const Int64Property = (document: ApiPropertyOptions): PropertyDecorator =>
  ApiProperty({ type: 'integer', format: 'int64', ...document });

/**
 * Documents a property of a response that is an exact decimal: a string, with as many digits after the point
 * as its column has.
 */
export const DecimalProperty = (document: ApiPropertyOptions): PropertyDecorator =>
  ApiProperty({ type: 'string', format: 'decimal', ...document });

/** Documents a property of a response that is a time in ISO 8601. */
export const TimeProperty = (document: ApiPropertyOptions): PropertyDecorator =>
  ApiProperty({ type: 'string', format: 'date-time', ...document });

/** The same for a time that may be absent. */
export const OptionalTimeProperty = (document: ApiPropertyOptions): PropertyDecorator =>
  ApiPropertyOptional({ type: 'string', format: 'date-time', ...document });
