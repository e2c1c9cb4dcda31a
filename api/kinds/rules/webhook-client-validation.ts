/**
 * Where a webhook is reached: at a URL, or at a service of the cluster.
 *
 * In Kubernetes: ValidateWebhookURL and ValidateWebhookService, apiserver/pkg/util/webhook.
 */
import type {
  WebhookClientConfig,
  ServiceReference,
} from '../../generated/kinds/apiextensions-v1.ts';
import { isJsonObject } from '../../json/json.ts';
import { dns1123SubdomainProblems } from '../../meta/names.ts';
import { type FieldErrors, invalidValue, required } from '../../field/field-errors.ts';
import { isMissing, portNumberProblems } from './value-validation.ts';
import { parseWebAddress } from '../../meta/web-addresses.ts';

const FORM = '; desired format: https://host[/path]';

/** `client` has a `url` or a `service`. */
export function validateWebhookClient(field: string, client: WebhookClientConfig): FieldErrors {
  const { url, service } = client;
  const hasUrl = !isMissing(url);
  if (hasUrl === isJsonObject(service)) {
    return [required(field, 'exactly one of url or service is required')];
  }
  return isJsonObject(service)
    ? validateWebhookService(`${field}.service`, service)
    : validateWebhookUrl(`${field}.url`, client.url ?? '');
}

export function validateWebhookUrl(field: string, url: string): FieldErrors {
  const parsed = parseWebAddress(url);
  if (!parsed.ok) {
    return [required(field, `url must be a valid URL: ${parsed.message}${FORM}`)];
  }
  const { scheme, host, user, fragment, query } = parsed.address;
  const unwanted = (value: string, detail: string): FieldErrors =>
    value === '' ? [] : [invalidValue(field, value, detail)];
  return [
    ...(scheme === 'https'
      ? []
      : [invalidValue(field, scheme, `'https' is the only allowed URL scheme${FORM}`)]),
    ...(host === '' ? [invalidValue(field, host, `host must be specified${FORM}`)] : []),
    ...(user === undefined
      ? []
      : [invalidValue(field, user, 'user information is not permitted in the URL')]),
    ...unwanted(fragment, 'fragments are not permitted in the URL'),
    ...unwanted(query, 'query parameters are not permitted in the URL'),
  ];
}

/** Upstream has the two names the wrong way round: it misses the one and says so of the other. */
export function validateWebhookService(field: string, service: ServiceReference): FieldErrors {
  const port = service.port ?? 0;
  const problems = portNumberProblems(port);
  return [
    ...(service.namespace === '' ? [required(`${field}.name`)] : []),
    ...(service.name === '' ? [required(`${field}.namespace`)] : []),
    ...(problems.length > 0
      ? [invalidValue(`${field}.port`, port, `port is not valid: ${problems.join(', ')}`)]
      : []),
    ...(isMissing(service.path) ? [] : validatePath(`${field}.path`, service.path ?? '')),
  ];
}

function validatePath(field: string, path: string): FieldErrors {
  if (path === '/' || path === '') return [];
  if (path === '//') return [invalidValue(field, path, 'segment[0] may not be empty')];
  const inside = path.slice(1);
  const steps = (inside.endsWith('/') ? inside.slice(0, -1) : inside).split('/');
  return [
    ...(path.startsWith('/') ? [] : [invalidValue(field, path, "must start with a '/'")]),
    ...steps.flatMap((step, index) => {
      const segment = `segment[${String(index)}]`;
      if (step === '') return [invalidValue(field, path, `${segment} may not be empty`)];
      return dns1123SubdomainProblems(step).map((problem) =>
        invalidValue(field, path, `${segment}: ${problem}`),
      );
    }),
  ];
}
