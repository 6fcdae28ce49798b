import { Body, Controller, Module, Post } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ItemsModule } from '../items/items.module.js';
import { lintErrors } from '../support/lint-openapi.js';
import { SNAPSHOT_ENV } from '../support/openapi-snapshot.js';
import { Petstore } from '../support/petstore.js';

let petstore: Petstore;

beforeAll(async () => {
  petstore = await Petstore.start({ modules: [ItemsModule], env: SNAPSHOT_ENV });
});
afterAll(() => petstore.stop());

class UndescribedDto {
  @ApiProperty({ type: () => undefined as unknown as string }) // as in a cycle of imports
  readonly size!: string;
}

@Controller({ path: 'undescribed', version: '1' })
class UndescribedController {
  @Post()
  create(@Body() body: UndescribedDto): object {
    return body;
  }
}

@Module({ controllers: [UndescribedController] })
class UndescribedModule {}

describe('a document that cannot be generated', () => {
  it('stops the start, and the error names the class', async () => {
    const start = Petstore.start({ modules: [UndescribedModule] }).then(() => 'started');
    await expect(start).rejects.toThrow(/The OpenAPI document cannot be generated: \[UndescribedDto\]/);
  });
});

describe('GET /openapi.json', () => {
  it('passes the recommended rules of Redocly', async () => {
    const { body } = await petstore.client().get('/openapi.json').expect(200);
    expect(await lintErrors(body as object)).toEqual([]);
  });

  it('has a model for each DTO: no two @ApiSchema() share a name', () => {
    const duplicates = petstore.log.filter(({ msg }) => String(msg).startsWith('Duplicate DTO'));
    expect(duplicates.map(({ msg }) => msg)).toEqual([]);
  });
});
