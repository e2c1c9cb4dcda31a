/**
 * How a definition converts between its versions, and whether a bundle of certificates in PEM is one
 * that its webhook can be trusted by. Errors are told at the fields that the internal version has:
 * `conversion.webhookClientConfig`, not `conversion.webhook.clientConfig`; faults inside of a
 * certificate in one sentence, where Go has several.
 *
 * In Kubernetes: validateCustomResourceConversion; ValidateCABundle, apiserver/pkg/util/webhook.
 */
import { X509Certificate } from 'node:crypto';

import { items } from '../../../json/go-values.ts';
import type {
  CustomResourceConversion,
  CustomResourceDefinitionSpec,
  WebhookClientConfig,
} from '../../../generated/kinds/apiextensions-v1.ts';
import { dns1035LabelProblems } from '../../../meta/names.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { invalidFor, repeatsIn } from '../../rules/value-validation.ts';
import { validateWebhookClient } from '../../rules/webhook-client-validation.ts';
import type { Leniency } from './leniency.ts';

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
  const { conversion } = spec;
  if (conversion === undefined) return [];
  const { strategy, webhook } = conversion;
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

const UNLOADED = 'unable to load root certificates';
const BEGIN = '-----BEGIN ';
/** The line ends in one way only: of two, each line break would be tried as the end of the first. */
const BLOCK = /^([^-\n]*)-----[^\S\n]*\n([^-]*)-----END ([^-\n]*)-----/;
const BASE64 = /^[A-Za-z0-9+/=\s]*$/;

/**
 * Undefined when there is nothing wrong, or nothing at all.
 *
 * @param bundle base64 of the PEM text
 */
export function caBundleProblem(bundle: string): string | undefined {
  const text = Buffer.from(bundle, 'base64').toString('latin1');
  if (text === '') return undefined;
  const parts = text.split(BEGIN).slice(1).map(partOf);
  const blocks = parts.filter(({ body }) => body !== undefined && BASE64.test(body));
  const certificates = blocks
    .filter(({ type }) => type === 'CERTIFICATE')
    .map(({ block }) => BEGIN + block);
  if (certificates.some(isCertificate)) return undefined;
  if (certificates.length > 0) {
    return `${UNLOADED}: failed to parse certificate: x509: malformed certificate`;
  }
  // Go reads on behind the last block, where something else may stand.
  const isOnlyBlocks = text.slice(0, text.indexOf(BEGIN)).trim() === '' && !parts.some(isMore);
  const isReadToItsEnd = blocks.length > 0 && isOnlyBlocks;
  return isReadToItsEnd
    ? `${UNLOADED}: no valid certificate authority data seen`
    : `${UNLOADED}: unable to parse bytes as PEM block`;
}

interface Part {
  readonly type: string;
  /** undefined: it is no block. */
  readonly body: string | undefined;
  readonly block: string;
  readonly behind: string;
}

/** @param text from behind one BEGIN to the next. */
function partOf(text: string): Part {
  const [block = '', type = '', body, ended] = BLOCK.exec(text) ?? [];
  const isBlock = type === ended;
  return { type, body: isBlock ? body : undefined, block, behind: text.slice(block.length) };
}

function isMore({ body, behind }: Part): boolean {
  return body === undefined || behind.trim() !== '';
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
