import { eventType } from '../platform/index.js';
import { CategoryResponse } from './dto/category.response.js';

export const CATEGORY_CREATED = eventType('category.created', CategoryResponse, {
  description: 'A category was added.',
});
export const CATEGORY_UPDATED = eventType('category.updated', CategoryResponse, {
  description: 'The name or the parent of a category changed. `data` is the category after the change.',
});
export const CATEGORY_DELETED = eventType('category.deleted', CategoryResponse, {
  description: 'A category was removed. `data` is the category as it was. Its pets stay.',
});
