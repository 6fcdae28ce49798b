import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { takesBody } from '../http/handler-arguments.js';
import { readJson } from './read-json.js';

/** Reads the body of a request whose handler takes one: after the guards, so nobody without a key gets a byte parsed. */
@Injectable()
export class JsonBodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): ReturnType<NestInterceptor['intercept']> {
    return takesBody(context) ? this.withBody(context, next) : next.handle();
  }

  private async withBody(context: ExecutionContext, next: CallHandler) {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    request.body = await readJson(request, http.getResponse<Response>());
    return next.handle();
  }
}
