/**
 * ABAC: what users may do as a file says it, one policy a line.
 *
 * In Kubernetes: pkg/auth/authorizer/abac, and pkg/apis/abac for lines without a version.
 */
import {
  isJsonObject,
  objectAt,
  stringAt,
  type JsonObject,
  type JsonValue,
} from '../../api/json/json.ts';
import type { RequestInfo, UserInfo } from '../request/request.ts';
import { ALLOW, type Authorizer, type Decision } from './authorizer.ts';
import { urlCovers } from './rbac/policy-rule.ts';
import { NO_RULES, type RuleResolver } from './rule-resolver.ts';
import { parseJson } from '../../api/json/json-text.ts';

interface AbacPolicy {
  /** '*': any user; '': every user in the group. */
  readonly user: string;
  readonly group: string;
  readonly readonly: boolean;
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string;
  readonly nonResourcePath: string;
}

export type ParsedAbac =
  | { readonly ok: true; readonly policies: readonly AbacPolicy[] }
  /** `line` counts from 1. */
  | { readonly ok: false; readonly line: number; readonly message: string };

const V1BETA1 = 'abac.authorization.kubernetes.io/v1beta1';
const AUTHENTICATED = 'system:authenticated';
const NONE: Decision = { verdict: 'noOpinion', reason: 'No policy matched.' };
const READ_ONLY: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/** Empty lines, and those that begin with `#`, say nothing. */
export function parseAbac(text: string): ParsedAbac {
  const policies: AbacPolicy[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const policy = parsePolicy(trimmed);
    if (typeof policy === 'string') return { ok: false, line: index + 1, message: policy };
    policies.push(policy);
  }
  return { ok: true, policies };
}

function parsePolicy(line: string): AbacPolicy | string {
  let value: JsonValue;
  try {
    value = parseJson(line); // All that JSON can say.
  } catch (error) {
    return error instanceof Error ? error.message : 'no JSON';
  }
  if (!isJsonObject(value)) return 'must be an object';
  const wrong = wrongField(value);
  if (wrong !== undefined) return wrong;
  const version = stringAt(value, 'apiVersion');
  if (version === '' || stringAt(value, 'kind') === '') return unversioned(value);
  if (version !== V1BETA1 || stringAt(value, 'kind') !== 'Policy') {
    return `must be a Policy of ${V1BETA1}`;
  }
  return readSpec(objectAt(value, 'spec') ?? {});
}

const TEXTS = ['user', 'group', 'apiGroup', 'resource', 'namespace', 'nonResourcePath'];

/** A policy that is misread could allow more than it says. */
function wrongField(value: JsonObject): string | undefined {
  const { spec = {} } = value;
  if (!isJsonObject(spec)) return 'spec must be an object';
  for (const object of [value, spec]) {
    const text = TEXTS.find((key) => !['string', 'undefined'].includes(typeof object[key]));
    if (text !== undefined) return `${text} must be a string`;
    if (!['boolean', 'undefined'].includes(typeof object['readonly'])) {
      return 'readonly must be true or false';
    }
  }
  return undefined;
}

function readSpec(spec: JsonObject): AbacPolicy {
  return {
    user: stringAt(spec, 'user'),
    group: stringAt(spec, 'group'),
    readonly: spec['readonly'] === true,
    apiGroup: stringAt(spec, 'apiGroup'),
    resource: stringAt(spec, 'resource'),
    namespace: stringAt(spec, 'namespace'),
    nonResourcePath: stringAt(spec, 'nonResourcePath'),
  };
}

/** What is left out means everything there, and '*' is every known user. */
function unversioned(value: JsonObject): AbacPolicy {
  const { user, group, namespace, resource, readonly } = readSpec(value);
  const isAnybody = (user === '' && group === '') || user === '*' || group === '*';
  return {
    user: isAnybody ? '' : user,
    group: isAnybody ? AUTHENTICATED : group,
    readonly,
    apiGroup: '*',
    resource: resource || '*',
    namespace: namespace || '*',
    nonResourcePath: namespace === '' && resource === '' ? '*' : '',
  };
}

/** Allows what some policy allows, and has no opinion otherwise: ABAC never denies. */
export function abacAuthorizer(policies: readonly AbacPolicy[]): Authorizer & RuleResolver {
  return {
    authorize: ({ user, request }) => {
      const isAllowed = policies.some(
        (policy) => concerns(policy, user) && allows(policy, request),
      );
      return isAllowed ? ALLOW : NONE;
    },
    rulesFor(user, namespace) {
      const its = policies.filter(
        (policy) => concerns(policy, user) && isEither(policy.namespace, namespace),
      );
      return {
        ...NO_RULES,
        resourceRules: its
          .filter(({ resource }) => resource !== '')
          .map((policy) => ({
            verbs: verbsOf(policy),
            apiGroups: [policy.apiGroup],
            resources: [policy.resource],
            resourceNames: [],
          })),
        pathRules: its
          .filter(({ nonResourcePath }) => nonResourcePath !== '')
          .map((policy) => ({
            verbs: verbsOf(policy),
            nonResourceURLs: [policy.nonResourcePath],
          })),
      };
    },
  };
}

/** Where both a user and a group are named, both must be right; where neither is, no user is. */
function concerns({ user, group }: AbacPolicy, asking: UserInfo): boolean {
  if (user !== '' && !isEither(user, asking.name)) return false;
  if (group !== '' && group !== '*' && !asking.groups.includes(group)) return false;
  return user !== '' || group !== '';
}

function allows(policy: AbacPolicy, request: RequestInfo): boolean {
  if (policy.readonly && !READ_ONLY.has(request.verb)) return false;
  const { nonResourcePath: path } = policy;
  if (!request.isResourceRequest) return path === '*' || urlCovers(path, request.path);
  return (
    isEither(policy.namespace, request.namespace) &&
    isEither(policy.resource, request.resource) &&
    isEither(policy.apiGroup, request.apiGroup)
  );
}

function isEither(said: string, text: string): boolean {
  return said === '*' || said === text;
}

function verbsOf({ readonly }: AbacPolicy): readonly string[] {
  return readonly ? ['get', 'list', 'watch'] : ['*'];
}
