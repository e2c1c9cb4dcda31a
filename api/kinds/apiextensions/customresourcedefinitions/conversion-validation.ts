/**
 * How a definition converts between its versions. Errors are told at the fields that the internal
 * version has: `conversion.webhookClientConfig`, not `conversion.webhook.clientConfig`.
 *
 * In Kubernetes: validateCustomResourceConversion.
 */
import { items } from '../../../json/go-values.ts';
import type {
  CustomResourceDefinitionSpec,
  CustomResourceConversion,
  WebhookClientConfig,
} from '../../../generated/kinds/apiextensions-v1.ts';
import { dns1035LabelProblems } from '../../../meta/names.ts';
import {
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { invalidFor } from '../../rules/value-validation.ts';
import { validateWebhookClient } from '../../rules/webhook-client-validation.ts';
import { caBundleProblem } from './ca-bundle.ts';
import type { Leniency } from './leniency.ts';
import { repeatsIn } from '../../rules/repeats.ts';

const PATH = 'spec.conversion';
const CLIENT = `${PATH}.webhookClientConfig`;
const REVIEWS = `${PATH}.conversionReviewVersions`;
const UNWANTED = 'should not be set when strategy is not set to Webhook';
/** Those that servers speak. */
const KNOWN_REVIEWS: readonly string[] = ['v1', 'v1beta1'];

export function validateConversion(
  spec: CustomResourceDefinitionSpec,
  leniency: Leniency,
): FieldErrors {
  const conversion = spec.conversion;
  if (conversion === undefined) return [];
  const strategy = conversion.strategy;
  const webhook = conversion.webhook;
  const client = webhook?.clientConfig;
  const reviews = items(webhook?.conversionReviewVersions);
  return [
    ...validatePruning(spec, strategy),
    ...validateStrategy(strategy),
    ...(strategy === 'Webhook'
      ? [...validateClient(client, leniency), ...validateReviews(reviews, leniency)]
      : [
          ...(client === undefined ? [] : [forbiddenField(CLIENT, UNWANTED)]),
          ...(reviews.length === 0 ? [] : [forbiddenField(REVIEWS, UNWANTED)]),
        ]),
  ];
}

/** Whether one of them can be spoken with; none at all is no wrong one. */
export function hasKnownReview(conversion: CustomResourceConversion | undefined): boolean {
  const reviews = items(conversion?.webhook?.conversionReviewVersions);
  return reviews.length === 0 || reviews.some((version) => KNOWN_REVIEWS.includes(version));
}

function validatePruning(spec: CustomResourceDefinitionSpec, strategy: string): FieldErrors {
  if (strategy === 'None' || spec.preserveUnknownFields !== true) return [];
  const detail = 'must be None if spec.preserveUnknownFields is true';
  return [invalidValue(`${PATH}.strategy`, strategy, detail)];
}

function validateStrategy(strategy: string): FieldErrors {
  const path = `${PATH}.strategy`;
  if (strategy === '') return [required(path)];
  const supported = ['None', 'Webhook'];
  return supported.includes(strategy) ? [] : [notSupported(path, strategy, supported)];
}

function validateClient(client: WebhookClientConfig | undefined, leniency: Leniency): FieldErrors {
  if (client === undefined) return [required(CLIENT, 'required when strategy is set to Webhook')];
  const bundle = client.caBundle ?? '';
  const problem = leniency.allowsInvalidCaBundle ? undefined : caBundleProblem(bundle);
  return [
    ...validateWebhookClient(CLIENT, client),
    ...(problem === undefined ? [] : [invalidValue(`${CLIENT}.caBundle`, bundle, problem)]),
  ];
}

function validateReviews(reviews: readonly string[], leniency: Leniency): FieldErrors {
  if (reviews.length === 0) return [required(REVIEWS)];
  const repeats = repeatsIn(reviews);
  const isKnown = reviews.some((version) => KNOWN_REVIEWS.includes(version));
  const detail = `must include at least one of ${KNOWN_REVIEWS.join(', ')}`;
  return [
    ...reviews.flatMap((version, index) => {
      const path = indexPath(REVIEWS, index);
      if (repeats[index] === true) {
        return [invalidValue(path, version, 'duplicate version')];
      }
      return invalidFor(path, version, dns1035LabelProblems(version));
    }),
    ...(isKnown || !leniency.needsKnownReview ? [] : [invalidValue(REVIEWS, [...reviews], detail)]),
  ];
}
