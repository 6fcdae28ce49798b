import { Inject, type INestApplication, Injectable } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { dump } from 'js-yaml';
import { HttpConfig } from '../../../http/core/http.config.js';
import { PublicUrl } from '../../../http/core/public-url.js';
import { StartupError } from '../../../kernel/config/startup-error.js';
import { service } from '../../../kernel/config/service.js';
import { SECURITY_SCHEME } from '../../../http/core/operation-marks.js';
import { writeJson } from '../../../kernel/json/write-json.js';
import { completeDocument } from './complete-document.js';
import { fillPlaces } from './places.js';
import { description } from './description.js';
import { ErrorResponse } from './error.response.js';
import { BASE_PATH } from './paths.js';
import { FixedContent } from './fixed-content.js';
import { PARAMETER_ORDER, type ParameterOrder } from './parameter-order.js';
import { Routes } from './routes.js';
import type { SecuritySchemes } from './schemas.js';
import { type Delivered, webhookModels } from './webhooks.js';

/** What modules add to the document, beside their routes and events. */
export interface DocumentAdditions {
  /** Ways to say who sends a request, beside the API key. */
  readonly securitySchemes: SecuritySchemes;
  /** What the service sends to webhooks, beside events. If it is nothing, it has no webhooks. */
  readonly pings: readonly Delivered[];
}

/** The token of the {@link DocumentAdditions}. */
export const DOCUMENT_ADDITIONS = Symbol('DOCUMENT_ADDITIONS');

/** The OpenAPI 3.1 document of the application. */
@Injectable()
export class OpenApiDocument {
  private app?: INestApplication;
  private described?: { readonly document: OpenAPIObject; readonly routes: Routes };
  private built?: OpenAPIObject;
  private asJson?: FixedContent;
  private asYaml?: FixedContent;

  constructor(
    private readonly config: HttpConfig,
    private readonly publicUrl: PublicUrl,
    @Inject(PARAMETER_ORDER) private readonly order: ParameterOrder,
    @Inject(DOCUMENT_ADDITIONS) private readonly additions: DocumentAdditions,
  ) {}

  /** Has to be called first. */
  isOf(app: INestApplication): void {
    this.app = app;
  }

  /**
   * Describes the controllers and DTOs, before the application listens. What contains its address follows
   * with `make()`.
   * @throws StartupError if `@nestjs/swagger` cannot describe them
   */
  describe(): { readonly document: OpenAPIObject; readonly routes: Routes } {
    return (this.described ??= this.describeNow());
  }

  private describeNow() {
    const { app } = this;
    if (!app) throw new Error('isOf() has not been called.');
    const routes = new Routes(app); // which numbers the handlers first
    const { securitySchemes: schemes, pings } = this.additions;
    const extraModels = [ErrorResponse, ...webhookModels(pings)];
    const own = head();
    const securitySchemes = { ...own.components?.securitySchemes, ...schemes };
    const all = { ...own, components: { ...own.components, securitySchemes } };
    const document = generated(() => fillPlaces(SwaggerModule.createDocument(app, all, { extraModels })));
    return { document, routes };
  }

  /**
   * Makes the document when the application listens: no request may be the first to find that it is
   * impossible.
   * @throws StartupError that names the class or path which no JSON can hold
   */
  make(): void {
    generated(
      () => this.json,
      () => {
        const { components, paths } = this.describe().document;
        return brokenIn({ ...components?.schemas, ...paths });
      },
    );
  }

  get document(): OpenAPIObject {
    return (this.built ??= this.complete());
  }

  private complete(): OpenAPIObject {
    const { document, routes } = this.describe();
    const { base } = this.publicUrl;
    const { pings } = this.additions;
    const info = { ...document.info, description: description(base, pings.length > 0) };
    const described = { ...document, info, servers: this.servers(base) };
    return completeDocument(described, routes, base, this.order, pings);
  }

  get json(): FixedContent {
    return (this.asJson ??= new FixedContent('application/json', writeJson(this.document)));
  }

  get yaml(): FixedContent {
    const text = () => dump(this.document, { skipInvalid: true, noRefs: true });
    return (this.asYaml ??= new FixedContent('application/yaml', text()));
  }

  private servers(base: string) {
    const { publicUrl, stagingPublicUrl } = this.config;
    const isStaging = base === stagingPublicUrl;
    const environment = publicUrl === undefined ? 'Local' : isStaging ? 'Staging' : 'Production';
    const own = { url: `${base}${BASE_PATH}`, description: environment };
    if (stagingPublicUrl === undefined || isStaging) return [own];
    return [own, { url: `${stagingPublicUrl}${BASE_PATH}`, description: 'Staging' }];
  }
}

function head(): Omit<OpenAPIObject, 'paths'> {
  const { title, interfaceVersion, license, prefix } = service();
  return new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(title)
    .setVersion(interfaceVersion)
    .setLicense(license, `https://spdx.org/licenses/${license}.html`)
    .addBearerAuth(
      {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: `${prefix}_…`,
        description: `Your API key: \`${prefix}_\` and 49 letters and digits.`,
      },
      SECURITY_SCHEME,
    )
    .addSecurityRequirements(SECURITY_SCHEME)
    .build();
}

/** @param culprit names what the error is about, if its message does not */
function generated<T>(generate: () => T, culprit: () => string = () => ''): T {
  try {
    return generate();
  } catch (error) {
    const { message } = error as Error;
    throw new StartupError(`The OpenAPI document cannot be generated: ${culprit()}${message}`, {
      cause: error,
    });
  }
}

/** The name of the first part that is not JSON, such as an example that refers to itself. */
function brokenIn(parts: object): string {
  for (const [name, part] of Object.entries(parts)) {
    try {
      writeJson(part);
    } catch {
      return `[${name}] `;
    }
  }
  return '';
}
