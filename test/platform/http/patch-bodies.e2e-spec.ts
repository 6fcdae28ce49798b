import {
  Body,
  Controller,
  Module,
  Patch,
  Post,
  type Type,
  UploadedFile,
  UseInterceptors,
} from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-express';
import { ApiConsumes, PartialType } from '@nestjs/swagger';
import { IsInt, IsOptional, IsString } from 'class-validator';
import { AnyKey, EnumField, OptionalNotNull, PatchType, Text } from '../../../src/platform/index.js';
import { Petstore } from '../../support/petstore.js';

class CreateLabel {
  @IsString()
  text!: string;

  @IsOptional()
  @IsInt()
  size = 3;
}

enum Size {
  Small = 'small',
  Large = 'large',
}

class CreateSized {
  @Text({ max: 20 })
  text!: string;

  @OptionalNotNull()
  @EnumField(Size, { name: 'SizeOfThing', default: Size.Small })
  size: Size = Size.Small;
}

class UpdateSized extends PatchType(CreateSized) {}

class CreatePlain {
  @IsString()
  text!: string;

  @IsOptional()
  @IsInt()
  size?: number;
}

/** As the generator of 1.1 wrote it. */
class GeneratedBefore extends PartialType(CreatePlain, { skipNullProperties: false }) {}

class UpdateLabel extends PatchType(CreateLabel) {}

class WithPrivate {
  #text = '';

  @IsOptional()
  @IsString()
  set text(text: string) {
    this.#text = text;
  }

  get text(): string {
    return this.#text;
  }
}

@AnyKey()
@Controller({ path: 'on-labels-of-things', version: '1' })
class LabelsController {
  @Patch('new')
  change(@Body() body: UpdateLabel): object {
    return { given: body };
  }

  @Patch('before')
  before(@Body() body: GeneratedBefore): object {
    return { given: body };
  }

  @Patch('sized')
  sized(@Body() body: UpdateSized): object {
    return { given: body };
  }

  @Post('sized')
  createSized(@Body() body: CreateSized): object {
    return { given: body };
  }

  @Patch('private')
  private(@Body() body: WithPrivate): object {
    return { text: body.text };
  }

  @Patch('any')
  any(@Body() body: unknown): object {
    return { body: body === undefined ? 'none' : body };
  }

  @Patch('none')
  none(): object {
    return { done: true };
  }

  @Patch('upload')
  @ApiConsumes('multipart/form-data')
  @UseInterceptors(FileInterceptor('file'))
  upload(@Body() body: UpdateLabel, @UploadedFile() file: { readonly size: number }): object {
    return { given: body, bytes: file.size };
  }

  @Post()
  create(@Body() body: CreateLabel): object {
    return { given: body };
  }
}

@Module({ controllers: [LabelsController] })
class LabelsModule {}

describe('the body of a PATCH', () => {
  let petstore: Petstore;
  let client: ReturnType<Petstore['client']>;

  beforeAll(async () => {
    petstore = await Petstore.start({ modules: [LabelsModule] });
    client = petstore.client(await petstore.key());
  });
  afterAll(() => petstore.stop());

  const patch = async (path: string, body: object) =>
    (await client.patch(`/v1/on-labels-of-things/${path}`).send(body).expect(200)).body as unknown;

  it('has no defaults with PatchType()', async () => {
    expect(await patch('new', {})).toEqual({ given: {} });
    expect(await patch('new', { text: 'a' })).toEqual({ given: { text: 'a' } });
    const { body } = await client.post('/v1/on-labels-of-things').send({ text: 'a' }).expect(201);
    expect(body).toEqual({ given: { text: 'a', size: 3 } });
  });

  it('is in the document without defaults, and with nothing required', async () => {
    const { body } = await client.get('/openapi.json').expect(200);
    const { schemas } = (body as { components: { schemas: Record<string, object | undefined> } }).components;
    const text = { type: 'string', minLength: 1, maxLength: 20 };
    const size = { $ref: '#/components/schemas/SizeOfThing' };
    expect(schemas.CreateSized).toMatchObject({
      required: ['text'],
      properties: { text, size: { default: 'small' } },
    });
    expect(schemas.UpdateSized).toMatchObject({ properties: { text, size } });
    expect(schemas.UpdateSized).not.toHaveProperty('required');
    expect(schemas.UpdateSized).not.toHaveProperty('properties.size.default');
  });

  it('of a module that the generator of 1.1 has made is taken as before', async () => {
    expect(await patch('before', { size: 4 })).toEqual({ given: { size: 4 } });
    await client.patch('/v1/on-labels-of-things/before').send({ text: null }).expect(400);
  });

  it('may have private fields and accessors', async () => {
    expect(await patch('private', { text: 'a' })).toEqual({ text: 'a' });
  });

  it('may be a form with a file', async () => {
    const { body } = await client
      .patch('/v1/on-labels-of-things/upload')
      .field('text', 'a')
      .attach('file', Buffer.from('abc'), 'a.txt')
      .expect(200);
    expect(body).toEqual({ given: { text: 'a' }, bytes: 3 });
  });

  it('must be there if it has a class, in whatever way it is absent', async () => {
    const request = () => client.patch('/v1/on-labels-of-things/new');
    for (const absent of [
      request(),
      request().set('Content-Length', '0'),
      request().type('json').set('Transfer-Encoding', 'chunked'),
    ]) {
      const { body } = await absent.expect(400);
      expect(body).toMatchObject({ details: [{ in: 'body', field: 'body', code: 'required' }] });
    }
    for (const path of ['any', 'none']) await client.patch(`/v1/on-labels-of-things/${path}`).expect(200);
  });
});

describe('a start', () => {
  function moduleOf(dto: Type): Type {
    @AnyKey()
    @Controller({ path: 'bodies', version: '1' })
    class BodiesController {
      update(body: object): object {
        return body;
      }
    }
    const { prototype } = BodiesController;
    Reflect.defineMetadata('design:paramtypes', [dto], prototype, 'update');
    Body()(prototype, 'update', 0);
    Patch()(prototype, 'update', Object.getOwnPropertyDescriptor(prototype, 'update') ?? {});
    @Module({ controllers: [BodiesController] })
    class BodiesModule {}
    return BodiesModule;
  }

  class WithFunction {
    @IsOptional()
    @IsInt()
    size?: number;

    double = (): number => 2 * (this.size ?? 0);
  }

  class Throwing {
    @IsString()
    text: string;

    constructor(other: { readonly text: string }) {
      this.text = other.text;
    }
  }

  it.each([
    ['a default of the DTO of a POST', CreateLabel, /CreateLabel has that default.* extends PatchType/],
    [
      'that of a PartialType()',
      class Update extends PartialType(CreateLabel) {},
      /change size to 3 .*class Update extends PatchType/,
    ],
    [
      'one of its own',
      class Own extends PatchType(CreateLabel) {
        override size = 4;
      },
      /change size to 4 /,
    ],
    [
      'a null',
      class Null {
        text: string | null = null;
      },
      /change text to null /,
    ],
    ['a function', WithFunction, /change double to a function /],
    ['a constructor that throws', Throwing, /takes a Throwing, whose constructor throws/],
  ])('refuses a PATCH with %s', async (_, dto, message) => {
    await expect(Petstore.start({ modules: [moduleOf(dto as Type)] })).rejects.toThrow(message);
  });

  it.each([Object, Array, BigInt, Map, Date, String])('takes a PATCH of %p', async (type) => {
    await (await Petstore.start({ modules: [moduleOf(type as unknown as Type)] })).stop();
  });
});
