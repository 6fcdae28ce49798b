import { DomainError } from '../kernel/errors/domain-error.js';
import type { Int64 } from '../kernel/json/int64.js';

export class CategoryNotFound extends DomainError {
  constructor(id: Int64 | string) {
    super('not_found', 'category_not_found', `There is no category with the id ${id}.`);
  }
}

export class CategoryNameTaken extends DomainError {
  constructor(name: string) {
    super('conflict', 'category_name_taken', `There is already a category with the name ${name}.`);
  }
}

export class ParentCategoryNotFound extends DomainError {
  constructor(id: Int64 | string) {
    super(
      'unprocessable',
      'parent_category_not_found',
      `There is no category with the id ${id} to be the parent.`,
    );
  }
}

export class CategoryCycle extends DomainError {
  constructor(id: Int64 | string) {
    super('conflict', 'category_cycle', `The category ${id} cannot be below itself.`);
  }
}

export class CategoryHasChildren extends DomainError {
  constructor(id: Int64 | string) {
    super(
      'conflict',
      'category_has_children',
      `The category ${id} has categories below it. Move or remove them first.`,
    );
  }
}
