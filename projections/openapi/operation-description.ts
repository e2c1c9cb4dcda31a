/**
 * What an operation is said to do. Generated clients show it as the doc comment of a method, so the
 * words are upstream's.
 *
 * In Kubernetes: registerResourceHandlers and GetArticleForNoun, apiserver/pkg/endpoints;
 * descriptionFor, apiextensions-apiserver/pkg/controller/openapi/builder.
 */
import type { Operation } from './operation.ts';

const VOWELS = 'aeiouAEIOU';
const DEPRECATED = "deprecated: use the 'watch' parameter with a list operation instead";

/** undefined where no resource is meant and the operation does not say it itself. */
export function operationDescription(operation: Operation): string | undefined {
  const { description, action, gvk, path, method } = operation;
  if (description !== undefined) return description;
  if (action === undefined || gvk === undefined) return undefined;
  const kind = operation.kind ?? gvk.kind;
  const subresource = /\{name\}\/([a-z]+)/.exec(path)?.[1];
  const of = subresource === undefined ? '' : ` ${subresource} of`;
  switch (action) {
    case 'get':
      return `read${of} the specified ${kind}`;
    case 'put':
      return `replace${of} the specified ${kind}`;
    case 'patch':
      return `partially update${of} the specified ${kind}`;
    case 'post':
      return `create${of}${articleFor(kind)}${kind}`;
    case 'delete':
      return `delete${of}${articleFor(kind)}${kind}`;
    case 'deletecollection':
      return `delete collection of ${kind}`;
    case 'list':
      return `list objects of kind ${kind}`;
    case 'watch':
      return `watch changes to an object of kind ${kind}. ${DEPRECATED}, filtered to a single item with the 'fieldSelector' parameter.`;
    case 'watchlist':
      return `watch individual changes to a list of ${kind}. ${DEPRECATED}.`;
    case 'connect':
      return `connect ${method.toUpperCase()} requests to${of} ${kind}`;
    default:
      return undefined;
  }
}

/** With its blanks; a plural has no article. */
function articleFor(noun: string): string {
  if (noun.endsWith('s') && !noun.endsWith('ss')) return ' ';
  return VOWELS.includes(noun.charAt(0)) ? ' an ' : ' a ';
}
