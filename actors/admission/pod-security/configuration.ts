/**
 * What an operator says about pod security: what holds where a namespace says nothing, and for whom
 * nothing holds.
 *
 * In Kubernetes: PodSecurityConfiguration, k8s.io/pod-security-admission/admission/api.
 */
import { objectAt, stringAt, type JsonObject } from '../../../api/json/json.ts';
import { dns1123LabelProblems, dns1123SubdomainProblems } from '../../../api/meta/names.ts';
import {
  duplicateValue,
  type FieldError,
  formatFieldErrors,
  invalidValue,
} from '../../../api/field/field-errors.ts';
import { stringsAt } from '../../../api/kinds/rules/value-validation.ts';
import {
  configurationOf,
  PluginConfigurationError,
  type PluginConfiguration,
} from '../plugin-configuration.ts';
import { type PodPolicy, policyOf, PREFIX } from './levels.ts';

/**
 * The configuration of --admission-control-config-file, or upstream's defaults, under which all
 * pods are allowed.
 */
export interface PodSecurityRules {
  /** For namespaces without labels. */
  readonly defaults: PodPolicy;
  /** Names of users whose pods are not judged. */
  readonly exemptUsers: ReadonlySet<string>;
  /** Names of namespaces whose pods are not judged. */
  readonly exemptNamespaces: ReadonlySet<string>;
  /** Names of runtime classes whose pods are not judged. */
  readonly exemptRuntimeClasses: ReadonlySet<string>;
}

const GROUP = 'pod-security.admission.config.k8s.io';
const FORM = {
  kind: 'PodSecurityConfiguration',
  versions: ['v1', 'v1beta1', 'v1alpha1'].map((version) => `${GROUP}/${version}`),
};
const PRIVILEGED = { level: 'privileged', version: 'latest' } as const;
const ALL_PRIVILEGED: PodPolicy = { enforce: PRIVILEGED, audit: PRIVILEGED, warn: PRIVILEGED };

/** In the order in which upstream looks at them. */
const KEYS = ['enforce', 'warn', 'audit'].flatMap((mode) => [mode, `${mode}-version`]);

/** @throws PluginConfigurationError where something in it is wrong. */
export function podSecurityRules(configuration: PluginConfiguration | undefined): PodSecurityRules {
  const content = configuration === undefined ? {} : configurationOf(configuration, FORM);
  const exemptions = objectAt(content, 'exemptions');
  const [users, namespaces] = [
    stringsAt(exemptions, 'usernames'),
    stringsAt(exemptions, 'namespaces'),
  ];
  const classes = stringsAt(exemptions, 'runtimeClasses');
  const errors = [
    ...defaultsProblems(objectAt(content, 'defaults')),
    ...exemptionProblems('namespaces', namespaces, (name) => dns1123LabelProblems(name)),
    ...exemptionProblems('runtimeClasses', classes, (name) => dns1123SubdomainProblems(name)),
    ...exemptionProblems('usernames', users, (name) =>
      name === '' ? ['username must not be empty'] : [],
    ),
  ];
  if (errors.length > 0) {
    const where = configuration?.file ?? '';
    throw new PluginConfigurationError(
      `${where}: PodSecurity invalid: ${formatFieldErrors(errors)}`,
    );
  }
  return {
    defaults: defaultsOf(objectAt(content, 'defaults')),
    exemptUsers: new Set(users),
    exemptNamespaces: new Set(namespaces),
    exemptRuntimeClasses: new Set(classes),
  };
}

/** What is not said, or empty, is as it would be without a file. */
function labelsOf(defaults: JsonObject | undefined): Record<string, string> {
  const said = KEYS.map((key) => [PREFIX + key, stringAt(defaults, key)] as const);
  return Object.fromEntries(said.filter(([, value]) => value !== ''));
}

function defaultsOf(defaults: JsonObject | undefined): PodPolicy {
  const labels = labelsOf(defaults);
  // A file that says what is enforced means nothing by being silent about warnings.
  const silent = { [`${PREFIX}warn`]: 'privileged', [`${PREFIX}warn-version`]: 'latest' };
  return policyOf({ ...silent, ...labels }, ALL_PRIVILEGED).policy;
}

function defaultsProblems(defaults: JsonObject | undefined): FieldError[] {
  return KEYS.flatMap((key) => {
    const label = PREFIX + key;
    const text = stringAt(defaults, key);
    const { errors } = policyOf(text === '' ? {} : { [label]: text }, ALL_PRIVILEGED);
    return errors.map((error) => ({ ...error, field: `defaults.${key}` }));
  });
}

function exemptionProblems(
  key: string,
  names: readonly string[],
  problemsOf: (name: string) => readonly string[],
): FieldError[] {
  return names.flatMap((name, index) => {
    const field = `exemptions.${key}[${String(index)}]`;
    const problems = problemsOf(name);
    if (problems.length > 0) return [invalidValue(field, name, problems.join(', '))];
    return names.indexOf(name) < index ? [duplicateValue(field, name)] : [];
  });
}
