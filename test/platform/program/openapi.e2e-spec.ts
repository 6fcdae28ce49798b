import {
  Body,
  Controller,
  Get,
  Module,
  ParseFilePipe,
  Post,
  type Type,
  UploadedFile,
  UseInterceptors,
} from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-express';
import { ApiBody, ApiConsumes, ApiCreatedResponse, ApiOkResponse, ApiProperty } from '@nestjs/swagger';
import { AnyKey, Text } from '../../../src/platform/index.js';
import { OpenApiDocument } from '../../../src/platform/program/openapi/document/openapi-document.js';
import { shareParts } from '../../../src/platform/program/openapi/document/shared-parts.js';
import { ItemsModule } from '../../items/items.module.js';
import { inlined } from '../../support/inlined.js';
import { lintErrors } from '../../support/lint-openapi.js';
import { SNAPSHOT_ENV } from '../../support/openapi-snapshot.js';
import { Petstore } from '../../support/petstore.js';

let petstore: Petstore;

beforeAll(async () => {
  petstore = await Petstore.start({ modules: [ItemsModule], env: SNAPSHOT_ENV });
});
afterAll(() => petstore.stop());

class UndescribedDto {
  @ApiProperty({ type: () => undefined as unknown as string }) // as in a cycle of imports
  readonly size!: string;
}

@AnyKey()
@Controller({ path: 'undescribed', version: '1' })
class UndescribedController {
  @Post()
  create(@Body() body: UndescribedDto): object {
    return body;
  }
}

@Module({ controllers: [UndescribedController] })
class UndescribedModule {}

const endless: Record<string, unknown> = {};
endless.self = endless;

class EndlessDto {
  @ApiProperty({ type: 'object', additionalProperties: true, example: endless })
  readonly tree!: object;
}

@AnyKey()
@Controller({ path: 'endless', version: '1' })
class EndlessController {
  @Post()
  create(@Body() body: EndlessDto): object {
    return body;
  }
}

@Module({ controllers: [EndlessController] })
class EndlessModule {}

class Comment {
  @ApiProperty({ example: 'Nice!' })
  readonly text!: string;

  @ApiProperty({ type: () => [Comment] })
  readonly replies!: Comment[];
}

class Person {
  @ApiProperty({ type: () => Person })
  readonly parent!: object;
}

/** Of classes that all refer to one another there are n! ways through them. */
const crowd: Type[] = Array.from({ length: 12 }, (_, i) => {
  const Member = { [`Crowd${i}`]: class {} }[`Crowd${i}`] as Type;
  for (let j = 0; j < 12; j++)
    ApiProperty({ type: () => crowd[j] ?? Member })(Member.prototype as object, `member${j}`);
  return Member;
});
const [FIRST = Comment] = crowd;

@AnyKey()
@Controller({ path: 'recursive', version: '1' })
class RecursiveController {
  @Get('comments')
  @ApiOkResponse({ type: Comment })
  comment(): object {
    return {};
  }

  @Get('people')
  @ApiOkResponse({ type: Person })
  person(): object {
    return {};
  }

  @Post('crowds')
  @ApiBody({ type: FIRST })
  @ApiCreatedResponse({ type: FIRST })
  crowd(): object {
    return {};
  }
}

@Module({ controllers: [RecursiveController] })
class RecursiveModule {}

const FILE = { type: 'string', format: 'binary' };

class CaptionDto {
  @Text({ max: 20, description: 'What the file shows.', example: 'A cat' })
  readonly caption!: string;
}

@AnyKey()
@Controller({ path: 'on-files', version: '1' })
class FilesController {
  @Post()
  @ApiConsumes('multipart/form-data')
  @ApiBody({ schema: { type: 'object', required: ['file'], properties: { file: FILE } } })
  @ApiCreatedResponse({ content: { 'image/png': { schema: { type: 'string' } } } })
  @UseInterceptors(FileInterceptor('file'))
  store(@UploadedFile(new ParseFilePipe()) file: object): object {
    return file;
  }

  @Post('captioned')
  @ApiConsumes('multipart/form-data')
  @ApiCreatedResponse({ type: CaptionDto })
  @UseInterceptors(FileInterceptor('file'))
  storeCaptioned(@Body() caption: CaptionDto): object {
    return caption;
  }

  @Post('raw')
  @ApiConsumes('application/octet-stream')
  @ApiCreatedResponse({ type: CaptionDto })
  storeRaw(@Body() bytes: unknown): unknown {
    return bytes;
  }

  @Post('lines')
  @ApiConsumes('application/x-ndjson')
  @ApiCreatedResponse({ type: FIRST })
  import(): object {
    return {};
  }
}

@Module({ controllers: [FilesController] })
class FilesModule {}

describe('the document of an upload', () => {
  it('has its refusals, and no example of a file', async () => {
    const uploading = await Petstore.start({ modules: [FilesModule] });
    const { body } = await uploading.client().get('/openapi.json').expect(200);
    const { post } = inlined(body as { paths: Record<string, { post: Upload }> }).paths['/on-files'] ?? {};
    expect(Object.keys(post?.responses ?? {})).toEqual(expect.arrayContaining(['400', '413', '415']));
    expect(Object.keys(post?.responses[400]?.content['application/json']?.examples ?? {})).toEqual([
      'bad_request', // which `ParseFilePipe` and `FileInterceptor` throw
    ]);
    for (const [path, type] of [
      ['on-files', 'multipart/form-data'],
      ['on-files/lines', 'application/x-ndjson'],
    ]) {
      const refused = await uploading
        .client(await uploading.key())
        .post(`/v1/${path}`)
        .send({})
        .expect(415);
      const described = inlined(body as { paths: Record<string, { post: Upload }> }).paths[`/${path}`]?.post
        .responses[415];
      expect(described?.content['application/json']?.examples).toEqual({
        unsupported_media_type: { value: refused.body },
      });
      expect(refused.body).toMatchObject({ message: `Send the body as ${type}.` });
    }
    expect(post?.requestBody.content['multipart/form-data']).not.toHaveProperty('example');
    expect(post?.responses[201]?.content['image/png']).not.toHaveProperty('example');
    await uploading.stop();
  });
});

interface Upload {
  readonly requestBody: Described200;
  readonly responses: Record<number, Described200>;
}

describe('a document of classes that refer to themselves', () => {
  it('is served in each form, with an example where one can be made', async () => {
    const recursive = await Petstore.start({ modules: [RecursiveModule] });
    const { body } = await recursive.client().get('/openapi.json').expect(200);
    const { paths } = body as { paths: Record<string, { get: { responses: Record<number, Described200> } }> };
    const exampleAt = (path: string) => paths[path]?.get.responses[200]?.content['application/json'];
    expect(exampleAt('/recursive/comments')?.example).toEqual({ text: 'Nice!', replies: [] });
    expect(exampleAt('/recursive/people')).not.toHaveProperty('example');
    await recursive.client().get('/openapi.yaml').expect(200);
    const { text } = await recursive.client().get('/docs/swagger-ui-init.js').expect(200);
    expect(text.length).toBeLessThan(5_000_000);
    await recursive.stop();
  });
});

interface Described200 {
  readonly content: Record<string, { readonly example?: unknown; readonly examples?: object }>;
}

describe('a document that cannot be generated', () => {
  it('stops the start, and the error names the class', async () => {
    const start = Petstore.start({ modules: [UndescribedModule] }).then(() => 'started');
    await expect(start).rejects.toThrow(/The OpenAPI document cannot be generated: \[UndescribedDto\]/);
  });

  it('stops the start too if it can be described but not be written', async () => {
    const start = Petstore.start({ modules: [EndlessModule] }).then(() => 'started');
    await expect(start).rejects.toThrow(/The OpenAPI document cannot be generated: \[EndlessDto\]/);
  });
});

interface Mistake {
  readonly code?: string;
  readonly details?: readonly { readonly in: string; readonly field: string; readonly code: string }[];
}
interface Documented {
  readonly requestBody?: { readonly content: Record<string, unknown> };
  readonly responses: Record<
    string,
    { readonly content: Record<string, { readonly examples: Record<string, { readonly value: Mistake }> }> }
  >;
}

describe('the examples of 400', () => {
  let withFiles: Petstore;

  beforeAll(async () => {
    withFiles = await Petstore.start({ modules: [ItemsModule, FilesModule] });
  });
  afterAll(() => withFiles.stop());

  /** What is sent to get a mistake: the query, the headers, the body. */
  function mistaken({
    details: [detail] = [],
  }: Mistake): [query: string, headers: Record<string, string>, body?: object] {
    if (!detail) return ['', { Host: 'a b' }];
    if (detail.in === 'query') return [`?${detail.field}=${detail.code === 'range' ? 0 : 'red'}`, {}];
    if (detail.in === 'header') return ['', { [detail.field]: 'é' }];
    return ['', {}, detail.code === 'required' ? {} : { [detail.field]: 'red' }];
  }

  it('are what the operations return', async () => {
    const client = withFiles.client(await withFiles.key());
    const { body } = await client.get('/openapi.json').expect(200);
    const tried = Object.entries(inlined(body as { paths: Record<string, object> }).paths).flatMap(
      ([path, item]) =>
        Object.entries(item as Record<string, Documented>).map(([method, { requestBody, responses }]) => {
          const examples = responses['400']?.content['application/json']?.examples ?? {};
          const example = (examples.validation_failed ?? examples.malformed_request)?.value;
          const isForm = requestBody?.content['multipart/form-data'] !== undefined;
          return { method, path: `/v1${path.replace(/\{\w+\}/g, '1')}`, example, examples, isForm };
        }),
    );
    expect(tried.length).toBeGreaterThan(3);
    for (const { method, path, example = {}, examples, isForm } of tried) {
      const [query, headers, sent] = mistaken(example);
      if (isForm) {
        // Neither its file nor its members. The handler decides which is refused first, and its pipe what it says of a file.
        const { status, body } = await client[method as 'post'](path).field('colour', 'red');
        const { code } = body as { code: string };
        expect([method, path, status, Object.keys(examples)]).toEqual([
          ...[method, path, 400],
          expect.arrayContaining([code]),
        ]);
        continue;
      }
      const request = client[method as 'post'](`${path}${query}`).set(headers);
      const response = await (sent === undefined ? request : request.send(sent));
      const { details } = example;
      expect([method, path, response.status, response.body]).toEqual([
        ...[method, path, 400],
        details ? expect.objectContaining({ details: expect.arrayContaining([...details]) }) : example,
      ]);
    }
  });
});

describe('GET /openapi.json', () => {
  it('passes the recommended rules of Redocly', async () => {
    const { body } = await petstore.client().get('/openapi.json').expect(200);
    expect(await lintErrors(body as object)).toEqual([]);
  });

  it('loses nothing by its components, whose names are legal', () => {
    const { document } = petstore.app.get(OpenApiDocument);
    const whole = inlined(document);
    expect(inlined(shareParts(structuredClone(whole)))).toEqual(whole);
    expect(JSON.stringify(document).length).toBeLessThan(JSON.stringify(whole).length);
    const names = Object.values(document.components ?? {}).flatMap((parts: object) => Object.keys(parts));
    expect(names.filter((name) => !/^[a-zA-Z0-9._-]+$/.test(name))).toEqual([]);
  });

  it('has a model for each DTO: no two @ApiSchema() share a name', () => {
    const duplicates = petstore.log.filter(({ msg }) => String(msg).startsWith('Duplicate DTO'));
    expect(duplicates.map(({ msg }) => msg)).toEqual([]);
  });
});
