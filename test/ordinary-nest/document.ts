import {
  All,
  Body,
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  Module,
  Param,
  Patch,
  Post,
  Put,
  type PipeTransform,
  Query,
  Redirect,
  Res,
  Sse,
  StreamableFile,
  UploadedFile,
  UseInterceptors,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-express';
import {
  ApiAcceptedResponse,
  ApiBadRequestResponse,
  ApiBasicAuth,
  ApiBearerAuth,
  ApiBody,
  ApiConsumes,
  ApiCookieAuth,
  ApiCreatedResponse,
  ApiDefaultResponse,
  ApiExcludeEndpoint,
  ApiExtraModels,
  ApiForbiddenResponse,
  ApiHeader,
  ApiNoContentResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProduces,
  ApiProperty,
  ApiPropertyOptional,
  ApiQuery,
  ApiSchema,
  ApiResponse,
  ApiSecurity,
  ApiTags,
  ApiUnauthorizedResponse,
  getSchemaPath,
  PartialType,
} from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsArray, IsOptional, IsString, ValidateNested } from 'class-validator';
import type { Response } from 'express';
import { type Observable, of } from 'rxjs';
import { ApiErrors } from '../../src/openapi/decorators/api-errors.decorator.js';
import { DomainError } from '../../src/kernel/errors/domain-error.js';
import { lintErrors } from '../support/lint-openapi.js';
import type { Topic } from './topics.js';

class FamilyDto {
  @ApiProperty({ example: 'root' })
  @IsString()
  name!: string;

  @ApiPropertyOptional({ type: () => [FamilyDto] })
  @IsOptional()
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => FamilyDto)
  children?: FamilyDto[];

  @ApiPropertyOptional({ type: () => FamilyDto, nullable: true })
  @IsOptional()
  @ValidateNested()
  @Type(() => FamilyDto)
  parent?: FamilyDto | null;
}

class AddressDto {
  @ApiProperty({ minLength: 1 })
  @IsString()
  street!: string;

  @ApiProperty({ type: String, nullable: true, required: false, example: 'attic' })
  @IsOptional()
  @IsString()
  floor?: string | null;

  @ApiProperty({ type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 10, exclusiveMaximum: false })
  @IsOptional()
  rating?: number;
}

class PersonDto {
  @ApiProperty({ type: AddressDto })
  @ValidateNested()
  @Type(() => AddressDto)
  home!: AddressDto;

  @ApiProperty({ type: [AddressDto], description: 'In summer.' })
  @ValidateNested({ each: true })
  @Type(() => AddressDto)
  others!: AddressDto[];

  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  @IsOptional()
  labels?: Record<string, string>;

  @ApiProperty({ type: 'object', additionalProperties: true })
  @IsOptional()
  anything?: object;
}

class UpdatePersonDto extends PartialType(PersonDto) {}

class CatDto {
  @ApiProperty()
  meow!: boolean;
}

class DogDto {
  @ApiProperty({ enum: ['loud', 'quiet'], enumName: 'Bark' })
  bark!: string;
}

class UndocumentedDto {
  @IsString()
  name!: string;
}

class OutOfStock extends DomainError {
  constructor() {
    super('conflict', 'out_of_stock', 'None is left.');
  }
}

class AlreadySold extends DomainError {
  constructor() {
    super('conflict', 'already_sold', 'It has been sold.');
  }
}

const result = () => ({});

@Controller({ path: 'on-documents/errors', version: '1' })
class ErrorsController {
  @Get('described')
  @ApiBadRequestResponse({ description: 'Mine.' })
  @ApiNotFoundResponse({ description: 'Not there.' })
  @ApiUnauthorizedResponse()
  @ApiForbiddenResponse({ type: CatDto })
  described(): object {
    return result();
  }

  @Post('twice')
  @ApiErrors(new OutOfStock())
  @ApiErrors(new AlreadySold())
  twice(): object {
    return result();
  }

  @Get('default')
  @ApiDefaultResponse({ description: 'Anything.', type: CatDto })
  default(): object {
    return result();
  }

  @Get('default-status')
  @ApiResponse({ status: 'default', description: 'Anything.' })
  @ApiResponse({ status: '4XX', description: 'My fault or yours.' })
  @ApiResponse({ status: '5XX', description: 'Ours.' })
  ranges(): object {
    return result();
  }
}

@Controller({ path: 'on-documents/successes', version: '1' })
class SuccessesController {
  @Get('no-content')
  @HttpCode(204)
  @ApiNoContentResponse()
  noContent(): void {
    // nothing
  }

  @Get('redirect')
  @Redirect('https://nestjs.com')
  redirect(): void {
    // elsewhere
  }

  @Get('undocumented')
  undocumented(): object {
    return { id: 1 };
  }

  @Post('accepted')
  @HttpCode(202)
  @ApiAcceptedResponse({ type: CatDto, description: 'Later.' })
  @ApiCreatedResponse({ type: CatDto, description: 'Now.' })
  accepted(): CatDto {
    return { meow: true };
  }

  @Get('csv')
  @Header('Content-Type', 'text/csv')
  @ApiOkResponse({ type: String, description: 'Rows.' })
  csv(): string {
    return 'id\n';
  }

  @Get('plain-csv')
  @Header('Content-Type', 'text/csv')
  plainCsv(): string {
    return 'id\n';
  }

  @Get('xml')
  @ApiProduces('application/xml')
  @ApiOkResponse({ schema: { type: 'string' } })
  @Header('Content-Type', 'application/xml')
  xml(): string {
    return '<a/>';
  }

  @Get('file')
  @ApiOkResponse({ schema: { type: 'string', format: 'binary' } })
  @Header('Content-Type', 'application/pdf')
  file(): StreamableFile {
    return new StreamableFile(Buffer.from('%PDF'));
  }

  @Get('content')
  @ApiOkResponse({ content: { 'image/png': { schema: { type: 'string', format: 'binary' } } } })
  @Header('Content-Type', 'image/png')
  content(): StreamableFile {
    return new StreamableFile(Buffer.from('png'));
  }

  @Sse('events')
  events(): Observable<{ data: object }> {
    return of({ data: { id: 1 } });
  }

  @Get('number')
  @ApiOkResponse({ type: Number })
  number(): number {
    return 5;
  }

  @Get('flags')
  @ApiOkResponse({ type: [Boolean] })
  flags(): boolean[] {
    return [true];
  }

  @Get('tree')
  @ApiOkResponse({ type: FamilyDto })
  tree(): FamilyDto {
    return { name: 'root', children: [{ name: 'leaf' }] };
  }

  @Get('either')
  @ApiExtraModels(CatDto, DogDto)
  @ApiOkResponse({ schema: { oneOf: [{ $ref: getSchemaPath(CatDto) }, { $ref: getSchemaPath(DogDto) }] } })
  either(): CatDto | DogDto {
    return { meow: true };
  }

  @Get('some')
  @ApiExtraModels(CatDto, DogDto)
  @ApiOkResponse({
    schema: {
      allOf: [
        { properties: { total: { type: 'integer', nullable: true, example: 5 } } },
        { properties: { items: { type: 'array', items: { anyOf: [{ $ref: getSchemaPath(CatDto) }] } } } },
      ],
    },
  })
  some(): object {
    return { total: null, items: [{ meow: true }] };
  }

  @Get('own')
  own(@Res() response: Response): void {
    response.send('x');
  }

  @Get('excluded')
  @ApiExcludeEndpoint()
  excluded(): object {
    return result();
  }
}

@Controller({ path: 'on-documents/requests', version: '1' })
class RequestsController {
  @Post('tree')
  createTree(@Body() tree: FamilyDto): object {
    return tree;
  }

  @Put('person')
  @ApiBody({ type: PersonDto })
  putPerson(@Body() person: PersonDto): object {
    return person;
  }

  @Patch('person/:id')
  patchPerson(@Param('id') id: string, @Body() person: UpdatePersonDto): object {
    return { id, person };
  }

  @Post('undocumented')
  undocumented(@Body() body: UndocumentedDto): object {
    return body;
  }

  @Post('untyped')
  untyped(@Body() body: Record<string, unknown>): object {
    return body;
  }

  @Post('part')
  part(@Body('name') name: string): object {
    return { name };
  }

  @Post('list')
  @ApiBody({ type: [AddressDto] })
  list(@Body() body: unknown): object {
    return { body };
  }

  @Post('upload')
  @UseInterceptors(FileInterceptor('file'))
  @ApiConsumes('multipart/form-data')
  @ApiBody({ schema: { type: 'object', properties: { file: { type: 'string', format: 'binary' } } } })
  upload(@UploadedFile() file?: { size: number }): object {
    return { size: file?.size };
  }

  @Get('search')
  @ApiQuery({ name: 'untyped' })
  @ApiQuery({ name: 'several', required: false, isArray: true, type: String })
  @ApiQuery({ name: 'either', required: false, enum: ['a', 'b'], example: 'a' })
  search(@Query('untyped') untyped: unknown, @Query('several') several?: string[]): object {
    return { untyped, several };
  }

  @Get('plain/:id/:other')
  plain(@Param('id') id: string, @Param('other') other: number, @Query('q') q?: string): object {
    return { id, other, q };
  }

  @Get('described/:id')
  @ApiParam({ name: 'id', example: 7, description: 'Its number.' })
  @ApiHeader({ name: 'If-None-Match', description: 'Mine.' })
  @ApiHeader({ name: 'X-Tenant', required: true })
  describedParameters(@Param('id') id: string): object {
    return { id };
  }
}

/** What the database has of an owner; clients see `OwnerResponse`. */
class Owner {
  readonly secret: string = '';
}

@ApiSchema({ name: 'Owner' })
class OwnerResponse {
  @ApiProperty()
  readonly name!: string;
}

class OwnerPipe implements PipeTransform<string, Owner> {
  transform(): Owner {
    return new Owner();
  }
}

@Controller({ path: 'on-documents/owners', version: '1' })
class OwnersController {
  @Get(':owner')
  @ApiOkResponse({ type: OwnerResponse })
  get(@Param('owner', OwnerPipe) owner: Owner, @Query('heir', OwnerPipe) heir: Owner): object {
    return { name: owner.secret + heir.secret };
  }

  @Get(':owner/pets')
  @ApiParam({ name: 'owner', schema: { type: 'integer', format: 'int64' } })
  pets(@Param('owner', OwnerPipe) owner: Owner): object {
    return { name: owner.secret };
  }
}

@ApiTags('mine')
@ApiBearerAuth()
@Controller({ path: 'on-documents/marks', version: '1' })
class MarksController {
  @Get('bearer')
  @ApiOperation({ summary: 'Mine', deprecated: true })
  bearer(): object {
    return result();
  }

  @Get('others')
  @ApiBasicAuth()
  @ApiCookieAuth()
  @ApiSecurity('their-own', ['scope'])
  others(): object {
    return result();
  }

  @Get(['one', 'two'])
  several(): object {
    return result();
  }

  @Get('same-id')
  @ApiOperation({ operationId: 'listEvents' })
  sameId(): object {
    return result();
  }

  @All('any')
  any(): object {
    return result();
  }

  @Get('files/*path')
  wildcard(@Param('path') path: string[]): object {
    return { path };
  }

  @Delete(':id')
  remove(@Param('id') id: string): object {
    return { id };
  }
}

@Controller({ path: 'on-documents/versions', version: '2' })
class SecondVersionController {
  @Get()
  @ApiOkResponse({ type: CatDto })
  get(): CatDto {
    return { meow: true };
  }
}

@Controller({ path: 'on-documents/versions', version: ['1', '3', VERSION_NEUTRAL] })
class ManyVersionsController {
  @Get()
  get(): object {
    return result();
  }
}

@Module({
  controllers: [
    ErrorsController,
    SuccessesController,
    RequestsController,
    MarksController,
    OwnersController,
    SecondVersionController,
    ManyVersionsController,
  ],
})
class DocumentsModule {}

/** A part of the document: which properties it has is what is tested here. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Part = any;

export const documents: Topic = {
  name: 'with any decorator of @nestjs/swagger',
  module: DocumentsModule,
  tests(scene) {
    let document: Part;
    const operation = (method: string, path: string): Part =>
      document.paths[`/on-documents/${path}`]?.[method];
    const success = (path: string, status = '200', method = 'get'): Part =>
      operation(method, `successes/${path}`).responses[status];
    const error = (path: string, status: string, method = 'get'): Part =>
      operation(method, `errors/${path}`).responses[status];
    const schemaNamed = (name: string): Part => document.components.schemas[name];

    beforeAll(async () => {
      document = (await scene().client.get('/openapi.json').expect(200)).body;
    });

    it('describes what a client sends for a parameter of which a pipe makes an object', () => {
      const schemasOf = (path: string) =>
        operation('get', path).parameters.map(({ name, schema }: Part) => [name, schema]);
      expect(schemasOf('owners/{owner}')).toEqual(
        expect.arrayContaining([
          ['owner', { type: 'string' }],
          ['heir', { type: 'string' }],
        ]),
      );
      expect(schemasOf('owners/{owner}/pets')).toContainEqual([
        'owner',
        { type: 'integer', format: 'int64' },
      ]);
      expect(document.components.schemas.Owner.properties).toEqual({ name: { type: 'string' } });
    });

    it('leaves the document valid', async () => {
      expect(await lintErrors(document)).toEqual([]);
    });

    it.each([
      ['csv', '200', { 'text/csv': { schema: { type: 'string' } } }],
      ['plain-csv', '200', { 'text/csv': { schema: { type: 'string' } } }],
      ['xml', '200', { 'application/xml': { schema: { type: 'string' } } }],
      ['file', '200', { 'application/pdf': { schema: { type: 'string', format: 'binary' } } }],
      ['content', '200', { 'image/png': { schema: { type: 'string', format: 'binary' } } }],
      ['events', '200', { 'text/event-stream': { schema: { type: 'string' } } }],
      ['number', '200', { 'text/html': { schema: { type: 'number' } } }],
      ['no-content', '204', undefined],
      ['undocumented', '200', undefined],
      ['redirect', '302', undefined],
    ])('says what a route sends, and promises no ETag of JSON: %s', (path, status, content) => {
      expect(success(path, status).content).toEqual(content);
      const { parameters = [], responses } = operation('get', `successes/${path}`);
      expect(JSON.stringify(parameters)).not.toContain('If-None-Match');
      expect(responses).not.toHaveProperty('304');
      expect(success(path, status).headers).not.toHaveProperty('ETag');
    });

    it.each(['flags', 'tree', 'either', 'some'])('promises the ETag of JSON: %s', (path) => {
      expect(Object.keys(success(path).content)).toEqual(['application/json']);
      expect(success(path).headers).toHaveProperty('ETag');
      expect(operation('get', `successes/${path}`).responses).toHaveProperty('304');
    });

    it('has 406 only where a route declares what it produces', () => {
      expect(operation('get', 'successes/undocumented').responses).not.toHaveProperty('406');
      expect(operation('get', 'successes/tree').responses['406']).toEqual({
        $ref: '#/components/responses/NotAcceptable',
      });
      const { examples } = operation('get', 'successes/csv').responses['406'].content['application/json'];
      expect(examples.not_acceptable.value.message).toContain('text/csv');
    });

    it('says where a redirect leads, and which success an undocumented operation has', () => {
      expect(Object.keys(operation('get', 'successes/redirect').responses)).not.toContain('200');
      expect(success('redirect', '302').headers).toHaveProperty('Location');
      expect(Object.keys(operation('get', 'errors/described').responses)).toContain('200');
      expect(Object.keys(operation('post', 'errors/twice').responses)).toContain('201');
    });

    it.each([
      ['tree', { name: 'root', children: [] }],
      ['either', { meow: true }],
      ['some', { total: 5, items: [{ meow: true }] }],
      ['flags', [true]],
    ])('makes an example: %s', (path, example) => {
      expect(success(path).content['application/json'].example).toEqual(example);
    });

    it('keeps the words of a decorator, and adds the Error to them', () => {
      expect(error('described', '400')).toMatchObject({
        description: 'Mine.',
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            examples: { validation_failed: expect.anything() },
          },
        },
      });
      expect(error('described', '404')).toMatchObject({
        description: 'Not there.',
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            examples: { not_found: { value: { code: 'not_found', message: 'Not there.', status: 404 } } },
          },
        },
      });
      expect(error('described', '403').content['application/json'].schema).toEqual({
        $ref: '#/components/schemas/CatDto',
      });
      expect(error('described', '401').content['application/json'].examples).toHaveProperty(
        'missing_api_key',
      );
      expect(error('default', 'default').description).toBe('Anything.');
      expect(error('default-status', '4XX').description).toBe('My fault or yours.');
    });

    it('has both of two errors with one status', () => {
      const { description, content } = error('twice', '409', 'post');
      expect(Object.keys(content['application/json'].examples)).toEqual(['out_of_stock', 'already_sold']);
      expect(description).toBe('Not possible in the current state.');
    });

    it('closes a body and the DTOs inside of it, of a DTO that contains itself too', () => {
      expect(schemaNamed('PersonDto')).toMatchObject({
        additionalProperties: false,
        properties: {
          labels: { additionalProperties: { type: 'string' } },
          anything: { additionalProperties: true },
        },
      });
      for (const name of ['UpdatePersonDto', 'AddressDto', 'FamilyDto']) {
        expect({ name, ...schemaNamed(name) }).toMatchObject({ name, additionalProperties: false });
      }
    });

    it('leaves open what it knows nothing of', () => {
      expect(schemaNamed('UndocumentedDto')).not.toHaveProperty('additionalProperties');
      expect(schemaNamed('CatDto')).not.toHaveProperty('additionalProperties');
      for (const path of ['untyped', 'part']) {
        expect(operation('post', `requests/${path}`).requestBody).toEqual({
          content: { 'application/json': { schema: {} } },
        });
      }
    });

    it('writes bounds and values that may be null as OpenAPI 3.1 does', () => {
      expect(schemaNamed('AddressDto').properties).toMatchObject({
        rating: { exclusiveMinimum: 0, maximum: 10 },
        floor: { type: ['string', 'null'], examples: ['attic'] },
      });
      expect(schemaNamed('AddressDto').properties.rating).not.toHaveProperty('minimum');
    });

    it('promises 415 of JSON bodies only', () => {
      const statuses = (path: string): string[] =>
        Object.keys(operation('post', `requests/${path}`).responses);
      expect(statuses('tree')).toEqual(expect.arrayContaining(['400', '413', '415']));
      expect(statuses('upload')).not.toContain('415');
    });

    it('has our own security whatever scheme a decorator names', () => {
      expect(operation('get', 'marks/bearer')).not.toHaveProperty('security');
      expect(operation('get', 'marks/others')).not.toHaveProperty('security');
    });

    it('gives every operation a name and a summary', () => {
      expect(operation('get', 'marks/same-id').operationId).toBe('listEvents_2');
      expect(operation('get', 'marks/one').operationId).toMatch(/^[\w-]+$/);
      expect(operation('get', 'successes/no-content').summary).toBe('No content');
    });

    it('has every method of an @All() that OpenAPI knows', () => {
      expect(Object.keys(document.paths['/on-documents/marks/any'])).toEqual([
        ...['get', 'put', 'post', 'delete', 'options', 'head', 'patch'],
      ]);
    });

    it.each([
      ['/v2/on-documents/versions', 'http://petstore.test'],
      ['/v3/on-documents/versions', 'http://petstore.test'],
      ['/versions', 'http://petstore.test/on-documents'], // /on-documents/versions is that under /v1
    ])('has other versions at the addresses where they are: %s', (path, url) => {
      expect(document.paths[path].servers).toEqual([expect.objectContaining({ url })]);
      expect(operation('get', 'versions').operationId).toBe('ManyVersionsController_get_0_v1');
    });

    it('leaves out what is excluded', () => {
      expect(document.paths).not.toHaveProperty('/on-documents/successes/excluded');
    });
  },
};
