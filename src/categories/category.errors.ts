import { DomainError, type Int64 } from '../platform/index.js';

export class CategoryNotFound extends DomainError {
  static override readonly help = {
    meaning: 'No category has this id. An id that is not a number gets the same error.',
    action: 'Do not repeat the request.',
  };

  constructor(id: Int64 | string) {
    super('not_found', 'category_not_found', `There is no category with the id ${id}.`);
  }
}

export class CategoryNameTaken extends DomainError {
  static override readonly help = {
    meaning: 'Another category has this name. Case is ignored.',
    action: 'Choose another name, or use the category that has it.',
  };

  constructor(name: string) {
    super('conflict', 'category_name_taken', `There is already a category named ${name}.`);
  }
}

export class ParentCategoryNotFound extends DomainError {
  static override readonly help = {
    meaning: 'No category has the id in `parentId`.',
    action: 'Create the parent first, or leave `parentId` out.',
  };

  constructor(id: Int64 | string) {
    super('unprocessable', 'parent_category_not_found', `There is no parent category with the id ${id}.`);
  }
}

export class CategoryCycle extends DomainError {
  static override readonly help = {
    meaning: 'The new parent is the category itself or one of its descendants.',
    action: 'Move the parent elsewhere first.',
  };

  constructor(id: Int64 | string) {
    super('conflict', 'category_cycle', `The category ${id} cannot be its own ancestor.`);
  }
}

export class CategoryHasChildren extends DomainError {
  static override readonly help = {
    meaning: 'The category has subcategories.',
    action: 'Move or remove them first.',
  };

  constructor(id: Int64 | string) {
    super(
      'conflict',
      'category_has_children',
      `The category ${id} has subcategories. Move or remove them first.`,
    );
  }
}
