/** The requests and the users that a flow schema is for. In Kubernetes: pkg/apis/flowcontrol/validation. */
import { items } from '../../../json/go-values.ts';
import type {
  PolicyRulesWithSubjects,
  Subject,
  NonResourcePolicyRule,
  ResourcePolicyRule,
} from '../../../generated/kinds/flowcontrol-v1.ts';
import { dns1123LabelProblems, dns1123SubdomainProblems } from '../../../meta/names.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { requiredText } from '../../rules/text-validation.ts';
import { invalidFor, ofEach } from '../../rules/value-validation.ts';

const ALL = '*';
const VERBS = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'proxy',
  'update',
  'watch',
];
const SUBJECT_KINDS = ['Group', 'ServiceAccount', 'User'];
/** The field of each kind of subject, in the order in which upstream looks at them. */
const SUBJECT_FIELDS = [
  ['ServiceAccount', 'serviceAccount'],
  ['User', 'user'],
  ['Group', 'group'],
] as const;

/** One of the rules of a schema: subjects, and what they ask for. */
export function validatePolicyRule(field: string, rule: PolicyRulesWithSubjects): FieldErrors {
  const subjects = items(rule.subjects);
  const resources = items(rule.resourceRules);
  const paths = items(rule.nonResourceRules);
  const nothing = 'at least one of resourceRules and nonResourceRules has to be non-empty';
  return [
    ...(subjects.length === 0
      ? [required(`${field}.subjects`, 'subjects must contain at least one value')]
      : []),
    ...ofEach(subjects, (subject, index) =>
      validateSubject(indexPath(`${field}.subjects`, index), subject),
    ),
    ...(resources.length + paths.length === 0 ? [required(field, nothing)] : []),
    ...ofEach(resources, (one, index) =>
      validateResourceRule(indexPath(`${field}.resourceRules`, index), one),
    ),
    ...ofEach(paths, (one, index) =>
      validatePathRule(indexPath(`${field}.nonResourceRules`, index), one),
    ),
  ];
}

function validateSubject(field: string, subject: Subject): FieldErrors {
  const { kind } = subject;
  const own = SUBJECT_FIELDS.find(([name]) => name === kind)?.[1];
  if (own === undefined) return [notSupported(`${field}.kind`, kind, SUBJECT_KINDS)];
  const path = `${field}.${own}`;
  const value = subject[own];
  return [
    ...(value === undefined
      ? [required(path, `${own} is required when subject kind is '${kind}'`)]
      : validateSubjectName(path, kind, value)),
    ...SUBJECT_FIELDS.filter(([name, key]) => name !== kind && subject[key] !== undefined).map(
      ([name, key]) => {
        const detail = `${key} is forbidden when subject kind is not '${name}'`;
        return forbiddenField(`${field}.${key}`, detail);
      },
    ),
  ];
}

function validateSubjectName(
  field: string,
  kind: string,
  { name, namespace = '' }: { name: string; namespace?: string },
): FieldErrors {
  if (kind !== 'ServiceAccount') return name === '' ? [required(`${field}.name`)] : [];
  const path = `${field}.namespace`;
  return [
    ...(name === ALL ? [] : requiredText(`${field}.name`, name, dns1123SubdomainProblems)),
    ...(namespace === ''
      ? [required(path, 'must specify namespace for service account')]
      : invalidFor(path, namespace, dns1123LabelProblems(namespace))),
  ];
}

function validatePathRule(field: string, rule: NonResourcePolicyRule): FieldErrors {
  const urls = items(rule.nonResourceURLs);
  const path = `${field}.nonResourceURLs`;
  const nothing = 'nonResourceURLs must contain at least one value';
  return [
    ...validateVerbs(`${field}.verbs`, items(rule.verbs)),
    ...(urls.length === 0 ? [required(path, nothing)] : []),
    ...(urls.includes(ALL)
      ? allAlone(path, urls, 'non-resource URLs')
      : ofEach(urls, (url, index) => validateUrl(indexPath(path, index), url))),
  ];
}

function validateResourceRule(field: string, rule: ResourcePolicyRule): FieldErrors {
  return [
    ...validateVerbs(`${field}.verbs`, items(rule.verbs)),
    ...validateNames(`${field}.apiGroups`, items(rule.apiGroups), 'api group'),
    ...validateNames(`${field}.resources`, items(rule.resources), 'resource'),
    ...validateNamespaces(`${field}.namespaces`, rule),
  ];
}

function validateVerbs(field: string, verbs: readonly string[]): FieldErrors {
  if (verbs.length === 0) return [required(field, 'verbs must contain at least one value')];
  if (verbs.includes(ALL)) return allAlone(field, verbs, 'verbs');
  if (verbs.every((verb) => VERBS.includes(verb))) return [];
  return [notSupported(field, [...verbs], VERBS)];
}

function validateNames(field: string, names: readonly string[], what: string): FieldErrors {
  if (names.length === 0) {
    return [required(field, `resource rules must supply at least one ${what}`)];
  }
  return names.includes(ALL) ? allAlone(field, names, `${what}s`) : [];
}

function validateNamespaces(field: string, rule: ResourcePolicyRule): FieldErrors {
  const namespaces = items(rule.namespaces);
  if (namespaces.length === 0 && rule.clusterScope !== true) {
    const detail = 'resource rules that are not cluster scoped must supply at least one namespace';
    return [required(field, detail)];
  }
  if (namespaces.includes(ALL)) return allAlone(field, namespaces, 'namespaces');
  const head = "each member of this list must be '*' or a DNS-1123 label; ";
  return ofEach(namespaces, (namespace, index) =>
    dns1123LabelProblems(namespace).map((problem) =>
      invalidValue(indexPath(field, index), namespace, `${head}${problem}`),
    ),
  );
}

function allAlone(field: string, values: readonly string[], what: string): FieldErrors {
  if (values.length === 1) return [];
  return [invalidValue(field, [...values], `if '*' is present, must not specify other ${what}`)];
}

function validateUrl(field: string, url: string): FieldErrors {
  const problem = urlProblem(url);
  return problem === undefined ? [] : [invalidValue(field, url, problem)];
}

function urlProblem(url: string): string | undefined {
  if (url === '') return 'must not be empty';
  if (url === '/') return undefined;
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes(' ')) return 'must not contain white-space';
  if (url.includes('//')) return 'must not contain double slash';
  const wildcards = url.split(ALL).length - 1;
  const isSuffix = wildcards === 0 || (wildcards === 1 && url.endsWith('/*'));
  return isSuffix ? undefined : 'wildcard can only do suffix matching';
}
