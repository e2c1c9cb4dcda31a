/**
 * What webhooks may say, those that change objects and those that only judge them. What is wrong
 * with the old ones already may be wrong with new ones too.
 *
 * In Kubernetes: ValidateValidatingWebhookConfiguration and its neighbours,
 * pkg/apis/admissionregistration/validation.
 */
import { items } from '../../json/go-values.ts';
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '../../generated/kinds/admissionregistration-v1.ts';
import { dns1035LabelProblems } from '../../meta/names.ts';
import { flatMapItems, mapItems, remembered, someItem } from '../../json/work-in-slices.ts';
import {
  duplicateValue,
  type FieldErrors,
  invalidValue,
  notSupported,
  required,
} from '../../field/field-errors.ts';
import { indexPath } from '../../field/field-path.ts';
import {
  validateLabelSelector,
  withoutSelectorValues,
} from '../rules/label-selector-validation.ts';
import { invalidFor, ofEach, repeatsIn } from '../rules/value-validation.ts';
import { sameValue } from '../rules/same-value.ts';
import { validateFullyQualifiedName } from '../rules/text-validation.ts';
import { validateWebhookClient } from '../rules/webhook-client-validation.ts';
import { validateMatchConditions } from './expression-validation.ts';
import { validateAdmissionRule } from './rule-validation.ts';

const FAILURE_POLICIES = ['Fail', 'Ignore'];
const MATCH_POLICIES = ['Equivalent', 'Exact'];
const NO_SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
const SIDE_EFFECTS = [...NO_SIDE_EFFECTS, 'Some', 'Unknown'];
const REINVOCATION_POLICIES = ['IfNeeded', 'Never'];
const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const TIMEOUT_SECONDS_MAX = 30;
const SELECTORS = ['namespaceSelector', 'objectSelector'] as const;

/** Webhooks that only judge have the same fields but one, which may be missing. */
type Webhook = MutatingWebhook;
type Configuration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

interface Strictness {
  readonly sideEffects: readonly string[];
  readonly needsKnownVersion: boolean;
  readonly needsUniqueNames: boolean;
  readonly allowsSelectorValues: boolean;
  /** No: the conditions are those of the old object. */
  readonly looksAtConditions: boolean;
}

const NEW: Strictness = {
  sideEffects: NO_SIDE_EFFECTS,
  needsKnownVersion: true,
  needsUniqueNames: true,
  allowsSelectorValues: false,
  looksAtConditions: true,
};

/** What is wrong with a new configuration. */
export function validateWebhooks({ webhooks }: Configuration): FieldErrors {
  return validateAll(items<Webhook>(webhooks), NEW);
}

/** As strict as the old configuration was right. */
export function validateWebhooksChange(
  configuration: Configuration,
  old: Configuration,
): FieldErrors {
  const webhooks = items<Webhook>(configuration.webhooks);
  return validateAll(webhooks, strictnessAfter(items<Webhook>(old.webhooks), webhooks));
}

function strictnessAfter(old: readonly Webhook[], webhooks: readonly Webhook[]): Strictness {
  const names = old.map((webhook) => webhook.name);
  const hasNone = old.every((one) => NO_SIDE_EFFECTS.includes(one.sideEffects ?? ''));
  return {
    sideEffects: hasNone ? NO_SIDE_EFFECTS : SIDE_EFFECTS,
    needsKnownVersion: old.every((webhook) => {
      const versions = items(webhook.admissionReviewVersions);
      return versions.length === 0 || versions.some((one) => REVIEW_VERSIONS.includes(one));
    }),
    needsUniqueNames: new Set(names).size === names.length,
    allowsSelectorValues: old.some((webhook) =>
      SELECTORS.some((key) => validateLabelSelector('', webhook[key]).length > 0),
    ),
    looksAtConditions: !(
      old.length === webhooks.length &&
      old.every((one, at) => sameValue(one.matchConditions, webhooks[at]?.matchConditions))
    ),
  };
}

function validateAll(webhooks: readonly Webhook[], strictness: Strictness): FieldErrors {
  const names = mapItems(webhooks, (webhook) => webhook.name);
  const repeats = remembered(() => repeatsIn(names));
  return flatMapItems(webhooks, (webhook, index) => {
    const field = indexPath('webhooks', index);
    const name = names[index] ?? '';
    const isSecond = name !== '' && repeats[index] === true;
    return [
      ...validateWebhook(field, webhook, strictness),
      ...validateReviewVersions(
        `${field}.admissionReviewVersions`,
        items(webhook.admissionReviewVersions),
        strictness,
      ),
      ...(strictness.needsUniqueNames && isSecond ? [duplicateValue(`${field}.name`, name)] : []),
    ];
  });
}

function validateWebhook(field: string, webhook: Webhook, strictness: Strictness): FieldErrors {
  const { allowsSelectorValues, looksAtConditions } = strictness;
  const selectorErrors = SELECTORS.flatMap((key) =>
    validateLabelSelector(`${field}.${key}`, webhook[key]),
  );
  return [
    ...validateFullyQualifiedName(`${field}.name`, webhook.name),
    ...ofEach(webhook.rules, (rule, index) =>
      validateAdmissionRule(indexPath(`${field}.rules`, index), rule),
    ),
    ...validateWord(`${field}.failurePolicy`, webhook.failurePolicy, FAILURE_POLICIES),
    ...validateWord(`${field}.matchPolicy`, webhook.matchPolicy, MATCH_POLICIES),
    ...validateSideEffects(`${field}.sideEffects`, webhook.sideEffects, strictness.sideEffects),
    ...validateTimeout(`${field}.timeoutSeconds`, webhook.timeoutSeconds),
    ...(allowsSelectorValues ? withoutSelectorValues(selectorErrors) : selectorErrors),
    // Only those that change objects have one.
    ...validateWord(
      `${field}.reinvocationPolicy`,
      webhook.reinvocationPolicy,
      REINVOCATION_POLICIES,
    ),
    ...validateWebhookClient(`${field}.clientConfig`, webhook.clientConfig),
    ...(looksAtConditions
      ? validateMatchConditions(`${field}.matchConditions`, items(webhook.matchConditions))
      : []),
  ];
}

function validateWord(
  field: string,
  word: string | null | undefined,
  words: readonly string[],
): FieldErrors {
  const isKnown = word === undefined || word === null || words.includes(word);
  return isKnown ? [] : [notSupported(field, word, words)];
}

function validateSideEffects(
  field: string,
  sideEffects: string | null,
  allowed: readonly string[],
): FieldErrors {
  if (sideEffects !== null) return validateWord(field, sideEffects, allowed);
  return [required(field, `must specify one of ${allowed.join(', ')}`)];
}

function validateTimeout(field: string, seconds: number | undefined): FieldErrors {
  if (seconds === undefined || (seconds >= 1 && seconds <= TIMEOUT_SECONDS_MAX)) return [];
  return [invalidValue(field, seconds, 'the timeout value must be between 1 and 30 seconds')];
}

function validateReviewVersions(
  field: string,
  versions: readonly string[],
  { needsKnownVersion }: Strictness,
): FieldErrors {
  const known = REVIEW_VERSIONS.join(', ');
  if (versions.length === 0) return [required(field, `must specify one of ${known}`)];
  const repeats = repeatsIn(versions);
  const isKnown = someItem(versions, (version) => REVIEW_VERSIONS.includes(version));
  return [
    ...flatMapItems(versions, (version, index) => {
      const path = indexPath(field, index);
      return repeats[index] === true
        ? [invalidValue(path, version, 'duplicate version')]
        : invalidFor(path, version, dns1035LabelProblems(version));
    }),
    ...(needsKnownVersion && !isKnown
      ? [invalidValue(field, [...versions], `must include at least one of ${known}`)]
      : []),
  ];
}
