/**
 * What answers for kinds that are never stored, and what takes more than to be stored: the list of all of them,
 * and nothing else. Which resources there are, and what discovery says of them, is in
 * `virtual-kinds.ts` and in each kind's `actions`.
 */
import type { JsonObject } from '../../api/json/json.ts';
import { FORK_STORAGE } from '../../api/everwatch/fork-facts.ts';
import type { ResourceName, ServedResource } from '../../api/kinds/resource-definition.ts';
import type { Authenticator } from '../authentication/authenticator.ts';
import type { TokenIssuer } from '../authentication/service-accounts/token-issuer.ts';
import type { Authorizer } from '../authorization/authorizer.ts';
import type { RuleResolver } from '../authorization/rule-resolver.ts';
import type { ResourceHandlers, VerbHandlers } from '../registry/stage.ts';
import { type PostAnswerer, type PostOptions, posting } from '../registry/paths/post.ts';
import { connectHandlers } from '../connect/connect-handlers.ts';
import type { NodeConnections } from '../connect/node-connections.ts';
import {
  reviewAccess,
  reviewLocalAccess,
  reviewOwnAccess,
  reviewRules,
  reviewSelf,
  reviewToken,
} from './reviews.ts';
import type { Component } from '../../api/kinds/core/componentstatuses/component.ts';
import { readingComponents } from './componentstatuses/read.ts';
import { bindPod, bindPodByName } from './pods/binding.ts';
import { evictPod } from './pods/eviction.ts';
import { setTokenRequestDefaults } from '../../api/kinds/core/serviceaccounts/definition.ts';
import { requestToken } from './serviceaccounts/token.ts';
import { createFork } from './forks/create.ts';
import type { ForkBases } from '../served-resources/fork-bases.ts';
import type { ServedResources } from '../served-resources/served-resources.ts';

export interface VirtualHandlersParts {
  readonly served: Pick<ServedResources, 'lookup'>;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  /** Signs the tokens of service accounts. */
  readonly tokens: TokenIssuer;
  readonly rules: RuleResolver;
  /** The other parts of the control plane, in the order in which they are listed. */
  readonly components: readonly Component[];
  /** The ways to nodes, pods and services. */
  readonly nodes: NodeConnections;
  /** Where the forks of this control plane begin; undefined: it cannot be forked. */
  readonly forks?: ForkBases | undefined;
}

/** The answer is the object that was posted; of other reviews it is a new one. */
const MANAGED: PostOptions = { managesFields: true };
// What is posted has been read as a TokenRequest.
const setDefaults = setTokenRequestDefaults as (object: JsonObject) => void;
const TOKEN: PostOptions = { ...MANAGED, setDefaults };

/** By storage, as `core/bindings`. @throws Error when a resource they act on is not served. */
export function virtualHandlers(
  parts: VirtualHandlersParts,
): ReadonlyMap<string, ResourceHandlers> {
  const { served, authenticator, authorizer, tokens, rules, components, forks, nodes } = parts;
  const pods = find(served, { apiGroup: '', apiVersion: 'v1', resource: 'pods' });
  const policy = { apiGroup: 'policy', apiVersion: 'v1' };
  const budgets = find(served, { ...policy, resource: 'poddisruptionbudgets' });
  const own: [string, ResourceHandlers][] =
    forks === undefined ? [] : [[FORK_STORAGE, itself({ create: createFork(forks) })]];
  const connects = connectHandlers(nodes);
  return new Map([
    ...connects,
    ...own,
    ['core/bindings', itself(created(bindPodByName(pods)))],
    ['core/componentstatuses', itself(readingComponents(components))],
    [
      'core/pods',
      new Map([
        ...(connects.get('core/pods') ?? []),
        ['binding', created(bindPod)],
        ['eviction', created(evictPod(budgets), { alsoSpeaks: ['policy/v1beta1'] })],
      ]),
    ],
    ['core/serviceaccounts', new Map([['token', created(requestToken(tokens), TOKEN)]])],
    ['authentication.k8s.io/selfsubjectreviews', itself(created(reviewSelf))],
    [
      'authentication.k8s.io/tokenreviews',
      itself(created(reviewToken(authenticator, tokens.options.audiences), MANAGED)),
    ],
    [
      'authorization.k8s.io/localsubjectaccessreviews',
      itself(created(reviewLocalAccess(authorizer), MANAGED)),
    ],
    [
      'authorization.k8s.io/selfsubjectaccessreviews',
      itself(created(reviewOwnAccess(authorizer), MANAGED)),
    ],
    ['authorization.k8s.io/selfsubjectrulesreviews', itself(created(reviewRules(rules)))],
    [
      'authorization.k8s.io/subjectaccessreviews',
      itself(created(reviewAccess(authorizer), MANAGED)),
    ],
  ]);
}

function find(served: Pick<ServedResources, 'lookup'>, name: ResourceName): ServedResource {
  const found = served.lookup(name);
  if (found === undefined) throw new Error(`${name.resource} are not served`);
  return found;
}

function itself(handlers: VerbHandlers): ResourceHandlers {
  return new Map([['', handlers]]);
}

function created<Kind>(answerer: PostAnswerer<Kind>, options?: PostOptions): VerbHandlers {
  // What is posted is decoded in the type of its place: tools/generate/admitted-kinds.test.ts.
  return { create: posting(answerer as PostAnswerer<never> as PostAnswerer, options) };
}
