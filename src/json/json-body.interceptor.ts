import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import { takesBody } from '../http/handler-arguments.js';
import { readJson } from './read-json.js';

/** Reads the body of a request whose handler takes one: after the guards, so nobody without a key gets a byte parsed. */
@Injectable()
export class JsonBodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): ReturnType<NestInterceptor['intercept']> {
    return takesBody(context) ? this.withBody(context, next) : next.handle();
  }

  private async withBody(context: ExecutionContext, next: CallHandler) {
    const request = context.switchToHttp().getRequest<Request>();
    request.body = await readJson(request);
    return next.handle();
  }
}
