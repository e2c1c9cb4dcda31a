/**
 * A policy file's content → a policy, or what is wrong with it in upstream's words. Unknown
 * fields are no error: upstream warns of them and goes on, and so do we.
 *
 * In Kubernetes: LoadPolicyFromBytes, apiserver/pkg/audit/policy, and ValidatePolicy,
 * apiserver/pkg/apis/audit/validation.
 */
import { isJsonObject, stringAt, type JsonObject, type JsonValue } from '../../api/json/json.ts';
import { nameIsDnsSubdomain } from '../../api/meta/names.ts';
import {
  type FieldError,
  formatFieldErrors,
  invalidValue,
  notSupported,
  required,
} from '../../api/field/field-errors.ts';
import { childPath, indexPath } from '../../api/field/field-path.ts';
import {
  AUDIT_LEVELS,
  AUDIT_STAGES,
  type AuditedResources,
  type AuditLevel,
  type AuditPolicy,
  type AuditRule,
  type AuditStage,
} from './audit-policy.ts';

const API_VERSION = 'audit.k8s.io/v1';
const KIND = 'Policy';
const SCHEME = 'in scheme "pkg/runtime/scheme.go:111"';

/** Of the same group. */
const OTHER_KINDS: ReadonlySet<unknown> = new Set(['Event', 'EventList', 'PolicyList']);

export type ReadAuditPolicy =
  | {
      readonly ok: true;
      readonly policy: AuditPolicy;
      /** As `unknown field "rules[0].levels"`. */
      readonly warnings: readonly string[];
    }
  | { readonly ok: false; readonly message: string };

/** @param value of the file, of any shape. Errors are those of upstream's loader and validation. */
export function readAuditPolicy(value: JsonValue): ReadAuditPolicy {
  const message = kindProblem(value);
  if (message !== undefined) return { ok: false, message };
  const reader = new PolicyReader();
  const policy = reader.policy(value as JsonObject); // It says its version.
  if (reader.misfit !== '') return { ok: false, message: `failed decoding: ${reader.misfit}` };
  const errors = validatePolicy(policy);
  if (errors.length > 0) return { ok: false, message: formatFieldErrors(errors) };
  if (policy.rules.length === 0) {
    return { ok: false, message: 'loaded illegal policy with 0 rules' };
  }
  return { ok: true, policy, warnings: reader.warnings };
}

function kindProblem(value: JsonValue): string | undefined {
  if (value !== null && !isJsonObject(value)) return `failed decoding: ${noObject(value)}`;
  const apiVersion = stringAt(value ?? {}, 'apiVersion');
  // A file that says no kind means a policy, as the decoder is told to expect one.
  const kind = stringAt(value ?? {}, 'kind') || KIND;
  if (kind === KIND && apiVersion === API_VERSION) return undefined;
  if (OTHER_KINDS.has(kind) && (apiVersion === API_VERSION || apiVersion === '')) {
    const type = `${apiVersion === '' ? 'audit' : 'v1'}.${kind}`;
    return `failed decoding: converting (${type}) to (audit.Policy): unknown conversion`;
  }
  if (apiVersion === '') {
    return `unknown group version field audit.k8s.io/__internal, Kind=${kind} in policy`;
  }
  return `failed decoding: no kind "${kind}" is registered for version "${apiVersion}" ${SCHEME}`;
}

function noObject(value: JsonValue): string {
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  const struct =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; ' +
    'Kind string "json:\\"kind,omitempty\\"" }';
  const why = `json: cannot unmarshal ${type} into Go value of type ${struct}`;
  return `couldn't get version/kind; json parse error: ${why}`;
}

const POLICY_FIELDS: ReadonlySet<string> = new Set([
  'kind',
  'apiVersion',
  'metadata',
  'rules',
  'omitStages',
  'omitManagedFields',
]);
const RULE_FIELDS: ReadonlySet<string> = new Set([
  'level',
  'users',
  'userGroups',
  'verbs',
  'resources',
  'namespaces',
  'nonResourceURLs',
  'omitStages',
  'omitManagedFields',
]);
const RESOURCES_FIELDS: ReadonlySet<string> = new Set(['group', 'resources', 'resourceNames']);

/** Reads by types; remembers the first thing that does not fit, and every field it does not know. */
class PolicyReader {
  misfit = '';
  readonly warnings: string[] = [];

  policy(value: JsonObject): AuditPolicy {
    this.#warnOfOthers(value, POLICY_FIELDS, '');
    return {
      rules: this.#list(value['rules'], 'rules').map((rule, index) =>
        this.#rule(this.#object(rule, 'rules'), indexPath('rules', index)),
      ),
      omitStages: this.#texts(value['omitStages'], 'omitStages') as AuditStage[], // Validated yet.
      omitManagedFields: this.#flag(value['omitManagedFields'], 'omitManagedFields') ?? false,
    };
  }

  #rule(value: JsonObject, path: string): AuditRule {
    this.#warnOfOthers(value, RULE_FIELDS, path);
    const texts = (field: string): string[] => this.#texts(value[field], childPath(path, field));
    const resources = childPath(path, 'resources');
    return {
      level: this.#text(value['level'], childPath(path, 'level')) as AuditLevel, // Validated yet.
      users: texts('users'),
      userGroups: texts('userGroups'),
      verbs: texts('verbs'),
      resources: this.#list(value['resources'], resources).map((entry, index) =>
        this.#resources(this.#object(entry, resources), indexPath(resources, index)),
      ),
      namespaces: texts('namespaces'),
      nonResourceURLs: texts('nonResourceURLs'),
      omitStages: texts('omitStages') as AuditStage[], // Validated yet.
      omitManagedFields: this.#flag(
        value['omitManagedFields'],
        childPath(path, 'omitManagedFields'),
      ),
    };
  }

  #resources(value: JsonObject, path: string): AuditedResources {
    this.#warnOfOthers(value, RESOURCES_FIELDS, path);
    return {
      group: this.#text(value['group'], childPath(path, 'group')),
      resources: this.#texts(value['resources'], childPath(path, 'resources')),
      resourceNames: this.#texts(value['resourceNames'], childPath(path, 'resourceNames')),
    };
  }

  #list(value: JsonValue | undefined, path: string): JsonValue[] {
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) return value;
    this.#mismatch(value, path, 'a list');
    return [];
  }

  #object(value: JsonValue, path: string): JsonObject {
    if (isJsonObject(value)) return value;
    if (value !== null) this.#mismatch(value, path, 'a mapping');
    return {};
  }

  #texts(value: JsonValue | undefined, path: string): string[] {
    return this.#list(value, path).map((one) => this.#text(one, path));
  }

  #text(value: JsonValue | undefined, path: string): string {
    if (value === undefined || value === null) return '';
    if (typeof value === 'string') return value;
    this.#mismatch(value, path, 'a string');
    return '';
  }

  #flag(value: JsonValue | undefined, path: string): boolean | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'boolean') return value;
    this.#mismatch(value, path, 'a boolean');
    return undefined;
  }

  #mismatch(value: JsonValue, path: string, wanted: string): void {
    if (this.misfit !== '') return;
    const type = Array.isArray(value) ? 'array' : typeof value;
    this.misfit = `json: cannot unmarshal ${type} into ${path}, which is ${wanted}`;
  }

  #warnOfOthers(value: JsonObject, known: ReadonlySet<string>, path: string): void {
    for (const key of Object.keys(value)) {
      if (known.has(key)) continue;
      const where = path === '' ? key : childPath(path, key);
      this.warnings.push(`unknown field ${JSON.stringify(where)}`);
    }
  }
}

function validatePolicy({ omitStages, rules }: AuditPolicy): FieldError[] {
  return [
    ...stageErrors(omitStages, 'omitStages'),
    ...rules.flatMap((rule, index) => ruleErrors(rule, indexPath('rules', index))),
  ];
}

function ruleErrors(rule: AuditRule, path: string): FieldError[] {
  const { nonResourceURLs: urls } = rule;
  const errors = [
    ...levelErrors(rule.level, childPath(path, 'level')),
    ...urlErrors(urls, childPath(path, 'nonResourceURLs')),
    ...resourceErrors(rule.resources, childPath(path, 'resources')),
    ...stageErrors(rule.omitStages, childPath(path, 'omitStages')),
  ];
  if (urls.length > 0 && (rule.resources.length > 0 || rule.namespaces.length > 0)) {
    const why = 'rules cannot apply to both regular resources and non-resource URLs';
    errors.push(invalidValue(childPath(path, 'nonResourceURLs'), [...urls], why));
  }
  return errors;
}

function levelErrors(level: AuditLevel | '', path: string): FieldError[] {
  if (level === '') return [required(path)];
  return AUDIT_LEVELS.includes(level) ? [] : [notSupported(path, level, AUDIT_LEVELS)];
}

function urlErrors(urls: readonly string[], path: string): FieldError[] {
  return urls.flatMap((url, index) => {
    if (url === '*') return [];
    const at = indexPath(path, index);
    const errors: FieldError[] = [];
    if (!url.startsWith('/')) {
      const why = "non-resource URL rules must begin with a '/' character";
      errors.push(invalidValue(at, url, why));
    }
    if (url.slice(0, -1).includes('*')) {
      const why = "non-resource URL wildcards '*' must be the final character of the rule";
      errors.push(invalidValue(at, url, why));
    }
    return errors;
  });
}

/** Upstream's paths do not say which entry it is. */
function resourceErrors(entries: readonly AuditedResources[], path: string): FieldError[] {
  return entries.flatMap(({ group, resources, resourceNames }) => {
    const errors: FieldError[] = [];
    const problems = group === '' || group === '*' ? [] : nameIsDnsSubdomain(group, false);
    if (problems.length > 0) {
      errors.push(invalidValue(childPath(path, 'group'), group, problems.join(',')));
    }
    if (resourceNames.length > 0 && resources.length === 0) {
      const why = 'using resourceNames requires at least one resource';
      errors.push(invalidValue(childPath(path, 'resourceNames'), [...resourceNames], why));
    }
    return errors;
  });
}

function stageErrors(stages: readonly AuditStage[], path: string): FieldError[] {
  return stages.flatMap((stage, index) => {
    if (AUDIT_STAGES.includes(stage)) return [];
    const why = `allowed stages are ${AUDIT_STAGES.join(',')}`;
    return [invalidValue(indexPath(path, index), stage, why)];
  });
}
