/**
 * How objects get from one version of a custom resource to another: by their apiVersion alone, or
 * by a webhook.
 *
 * In Kubernetes: crConverter, nopConverter and webhookConverter,
 * apiextensions-apiserver/pkg/apiserver/conversion.
 */
import type { Random } from '../../meta/clock.ts';
import type { CustomResourceDefinitionSpec } from '../../generated/kinds/apiextensions-v1.ts';
import { items } from '../../json/go-values.ts';
import type { KubeObject } from '../../meta/object-meta.ts';
import type { Conversion, Converted } from '../custom-serving.ts';
import { convertedIn, formatReview, groupVersionKind, reviewVersion } from './conversion-review.ts';
import { webhookTargetOf, type WebhookClient, type WebhookTarget } from './webhook-client.ts';

export interface DefinitionConverter {
  /** Whether no webhook has to be asked. */
  readonly isLocal: boolean;
  /** At once where nothing has to be asked. The objects may be changed. */
  convert(objects: readonly KubeObject[], apiVersion: string): Conversion;
}

export interface ConverterParts {
  readonly webhooks: WebhookClient;
  readonly random: Random;
}

/** A list is converted in one call, but not in one that takes all there is of memory. */
const OBJECTS_PER_CALL = 1_000;

/** @param spec of the CustomResourceDefinition. */
export function converterOf(
  { conversion }: CustomResourceDefinitionSpec,
  parts: ConverterParts,
): DefinitionConverter {
  const webhook = conversion?.webhook;
  if (conversion?.strategy !== 'Webhook' || webhook === undefined) return RENAMING;
  const { clientConfig, conversionReviewVersions } = webhook;
  const versions = items(conversionReviewVersions);
  const asked = { target: webhookTargetOf(clientConfig), versions, ...parts };
  return {
    isLocal: false,
    convert(objects, apiVersion) {
      const others = objects.filter((object) => object.apiVersion !== apiVersion);
      if (others.length === 0) return { ok: true, objects };
      return inCalls(asked, others, apiVersion).then((converted) =>
        converted.ok ? { ok: true, objects: putBack(objects, apiVersion, converted) } : converted,
      );
    },
  };
}

const RENAMING: DefinitionConverter = {
  isLocal: true,
  convert(objects, apiVersion) {
    for (const object of objects) object.apiVersion = apiVersion;
    return { ok: true, objects };
  },
};

interface Asked extends ConverterParts {
  readonly target: WebhookTarget;
  readonly versions: readonly string[];
}

async function inCalls(
  asked: Asked,
  objects: readonly KubeObject[],
  apiVersion: string,
): Promise<Converted> {
  const results: KubeObject[] = [];
  for (let from = 0; from < objects.length; from += OBJECTS_PER_CALL) {
    const some = objects.slice(from, from + OBJECTS_PER_CALL);
    const converted = await ask(asked, some, apiVersion);
    if (!converted.ok) return converted;
    results.push(...converted.objects);
  }
  return { ok: true, objects: results };
}

async function ask(
  { target, versions, webhooks, random }: Asked,
  objects: readonly KubeObject[],
  desiredAPIVersion: string,
): Promise<Converted> {
  const version = reviewVersion(versions);
  if (version === undefined) {
    return { ok: false, message: 'no supported conversion review versions' };
  }
  const question = { objects, desiredAPIVersion, uid: random.uuid(), version };
  const answer = await webhooks.post(target, formatReview(question));
  if (answer.ok) return convertedIn(answer.body, question);
  const subject = `conversion webhook for ${groupVersionKind(objects[0])}`;
  return { ok: false, message: `${subject} failed: ${answer.message}` };
}

/** Those that were of the version already stay where they are. */
function putBack(
  objects: readonly KubeObject[],
  apiVersion: string,
  converted: { readonly objects: readonly KubeObject[] },
): KubeObject[] {
  let next = 0;
  return objects.map((object) => {
    if (object.apiVersion === apiVersion) return object;
    const result = converted.objects[next] ?? object;
    next += 1;
    return result;
  });
}
