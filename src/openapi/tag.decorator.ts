import { applyDecorators } from '@nestjs/common';
import { ApiExtension, ApiTags } from '@nestjs/swagger';

/** Where the description waits until `takeTags` puts it into the document's list of tags. */
export const TAG_DESCRIPTION = 'x-tag-description';

/** Groups the operations of a controller in the document, and says what they are about. */
export const Tag = (name: string, description: string): ClassDecorator =>
  applyDecorators(ApiTags(name), ApiExtension(TAG_DESCRIPTION, description));
