/**
 * A server for HTTP drops headers beyond limits of its own, unless these are set. So servers are
 * made in the files that set them, and nowhere else.
 */
import ts from 'typescript';

import { isTestSide, type House, type Source, type Violations } from './house.ts';

const MODULES: ReadonlySet<string> = new Set(['node:http', 'node:https', 'node:http2']);
const MAKERS: ReadonlySet<string> = new Set(['createServer', 'createSecureServer']);
const PLACES: ReadonlySet<string> = new Set(['gateway/listener/request-head.ts']);

export function serverPlaces(house: House): Violations {
  return house.sources.flatMap((source) => {
    const isJudged = source.path.startsWith('gateway/') && !isTestSide(source.path);
    if (!isJudged || PLACES.has(source.path) || !makesServers(source)) return [];
    return [`${source.path}: makes a server for HTTP, but limits are set in gateway/listener`];
  });
}

function makesServers(source: Source): boolean {
  const places = source.imports.filter(({ specifier }) => MODULES.has(specifier));
  return places.length > 0 && source.nodes.some(namesMaker);
}

function namesMaker(node: ts.Node): boolean {
  return ts.isIdentifier(node) && MAKERS.has(node.text);
}
