import { applyDecorators } from '@nestjs/common';
import { ApiExtension, ApiTags } from '@nestjs/swagger';

/** Groups the operations of a controller in the document, and says there what they are about. */
export const Tag = (name: string, description: string): ClassDecorator =>
  applyDecorators(ApiTags(name), ApiExtension('x-tag-description', description));
