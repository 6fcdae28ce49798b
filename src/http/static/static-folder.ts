import type { Request, Response } from 'express';
import { RouteNotFound } from '../errors/route.errors.js';
import type { StaticContent } from './static-content.js';

/** The files of a page, by name. */
export class StaticFolder {
  private files?: ReadonlyMap<string, StaticContent>;

  /**
   * @param read returns the files, on the first request; `index.html` is the page
   * @param outside the page for a URL without a trailing slash, where the relative links to the files differ
   */
  constructor(
    private readonly read: () => ReadonlyMap<string, StaticContent>,
    private readonly outside: StaticContent,
    private readonly headers: ReadonlyMap<string, string>,
  ) {}

  sendPage(request: Request, response: Response): Promise<void> {
    if (request.path.endsWith('/')) return this.sendFile('index.html', request, response);
    return this.send(this.outside, request, response);
  }

  /** @throws RouteNotFound */
  async sendFile(name: string, request: Request, response: Response): Promise<void> {
    const file = (this.files ??= this.read()).get(name);
    if (!file) throw new RouteNotFound(request.path);
    await this.send(file, request, response);
  }

  private send(content: StaticContent, request: Request, response: Response): Promise<void> {
    return content.send(request, response.setHeaders(this.headers as Map<string, string>)); // setHeaders only reads it
  }
}
