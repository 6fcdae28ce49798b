import { DomainError, type Int64 } from '../platform.js';

export class CategoryNotFound extends DomainError {
  static override readonly help = {
    meaning: 'No category has this id. An id that is not a number gets the same response.',
    action: 'Do not repeat the request.',
  };

  constructor(id: Int64 | string) {
    super('not_found', 'category_not_found', `There is no category with the id ${id}.`);
  }
}

export class CategoryNameTaken extends DomainError {
  static override readonly help = {
    meaning: 'Another category has this name, perhaps in another case.',
    action: 'Choose another name, or use the category that has it.',
  };

  constructor(name: string) {
    super('conflict', 'category_name_taken', `There is already a category with the name ${name}.`);
  }
}

export class ParentCategoryNotFound extends DomainError {
  static override readonly help = {
    meaning: 'No category has the id in `parentId`.',
    action: 'Create the parent first, or leave `parentId` out.',
  };

  constructor(id: Int64 | string) {
    super(
      'unprocessable',
      'parent_category_not_found',
      `There is no category with the id ${id} to be the parent.`,
    );
  }
}

export class CategoryCycle extends DomainError {
  static override readonly help = {
    meaning: 'The new parent is the category itself, or below it.',
    action: 'Move the parent elsewhere first.',
  };

  constructor(id: Int64 | string) {
    super('conflict', 'category_cycle', `The category ${id} cannot be below itself.`);
  }
}

export class CategoryHasChildren extends DomainError {
  static override readonly help = {
    meaning: 'Other categories are below the one to remove.',
    action: 'Move or remove them first.',
  };

  constructor(id: Int64 | string) {
    super(
      'conflict',
      'category_has_children',
      `The category ${id} has categories below it. Move or remove them first.`,
    );
  }
}
