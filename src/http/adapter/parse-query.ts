import { parse, type ParsedUrlQuery } from 'node:querystring';

/** Plain `name=value` pairs, and all of them: left to itself `parse` stops after 1000, empty ones included. */
export const parseQuery = (text: string): ParsedUrlQuery => parse(text, '&', '=', { maxKeys: 0 });
