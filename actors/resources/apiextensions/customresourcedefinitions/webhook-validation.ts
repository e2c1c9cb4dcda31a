/**
 * Where a webhook is: a service, or a URL.
 *
 * In Kubernetes: apiserver/pkg/util/webhook/validation.go. The caller there hands the name of the
 * service over as its namespace and the other way round, so what is told of is swapped.
 */
import { stringAt, type JsonObject } from '../../../../api/meta/json.ts';
import { dns1123SubdomainProblems } from '../../../../api/meta/names.ts';
import { goQuote } from '../../../../api/patch/go-format.ts';
import { invalidValue, required, type FieldErrors } from '../../../../api/schema/field-errors.ts';
import { numberAt, portNumberProblems } from '../../value-validation.ts';

const FORM = '; desired format: https://host[/path]';

export function validateWebhookService(path: string, service: JsonObject): FieldErrors {
  const port = numberAt(service, 'port') ?? 0;
  const problems = portNumberProblems(port);
  return [
    ...(stringAt(service, 'namespace') === '' ? [required(`${path}.name`)] : []),
    ...(stringAt(service, 'name') === '' ? [required(`${path}.namespace`)] : []),
    ...(problems.length === 0
      ? []
      : [invalidValue(`${path}.port`, port, `port is not valid: ${problems.join(', ')}`)]),
    ...validateServicePath(`${path}.path`, stringAt(service, 'path')),
  ];
}

function validateServicePath(path: string, urlPath: string): FieldErrors {
  if (urlPath === '' || urlPath === '/') return [];
  const invalid = (detail: string) => invalidValue(path, urlPath, detail);
  if (urlPath === '//') return [invalid('segment[0] may not be empty')];
  const segments = urlPath.slice(1).replace(/\/$/, '').split('/');
  return [
    ...(urlPath.startsWith('/') ? [] : [invalid("must start with a '/'")]),
    ...segments.flatMap((segment, index) => {
      const at = `segment[${String(index)}]`;
      if (segment === '') return [invalid(`${at} may not be empty`)];
      return dns1123SubdomainProblems(segment).map((problem) => invalid(`${at}: ${problem}`));
    }),
  ];
}

export function validateWebhookUrl(path: string, url: string): FieldErrors {
  const problem = urlProblem(url);
  if (problem !== undefined) {
    return [required(path, `url must be a valid URL: parse ${goQuote(url)}: ${problem}${FORM}`)];
  }
  const { scheme, host, user, query, fragment } = partsOf(url);
  return [
    ...(scheme === 'https'
      ? []
      : [invalidValue(path, scheme, `'https' is the only allowed URL scheme${FORM}`)]),
    ...(host === '' ? [invalidValue(path, host, `host must be specified${FORM}`)] : []),
    ...(user === undefined
      ? []
      : [invalidValue(path, user, 'user information is not permitted in the URL')]),
    ...(fragment === ''
      ? []
      : [invalidValue(path, fragment, 'fragments are not permitted in the URL')]),
    ...(query === ''
      ? []
      : [invalidValue(path, query, 'query parameters are not permitted in the URL')]),
  ];
}

/** What Go's url.Parse has against it, as far as people get it wrong. */
function urlProblem(url: string): string | undefined {
  if (/[\u0000-\u001f\u007f]/.test(url)) return 'net/url: invalid control character in URL';
  if (url.startsWith(':')) return 'missing protocol scheme';
  const escape = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(url);
  if (escape !== null) return `invalid URL escape ${goQuote(escape[0])}`;
  const { host } = partsOf(url);
  const space = /[ "<>\\^`{|}]/.exec(host);
  if (space !== null) return `invalid character ${goQuote(space[0])} in host name`;
  const port = /:([^\]:]*)$/.exec(host)?.[1];
  return port === undefined || /^\d*$/.test(port)
    ? undefined
    : `invalid port ${goQuote(`:${port}`)} after host`;
}

interface UrlParts {
  readonly scheme: string;
  readonly host: string;
  /** Undefined when there is no `@`. */
  readonly user: string | undefined;
  readonly query: string;
  readonly fragment: string;
}

function partsOf(url: string): UrlParts {
  const [main = '', ...fragments] = url.split('#');
  const [, scheme = '', rest = ''] = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?([^]*)$/.exec(main) ?? [];
  const [place = '', ...queries] = rest.split('?');
  const authority = /^\/\/([^/]*)/.exec(place)?.[1] ?? '';
  const at = authority.lastIndexOf('@');
  return {
    scheme: scheme.toLowerCase(),
    host: authority.slice(at + 1),
    user: at < 0 ? undefined : authority.slice(0, at),
    query: queries.join('?'),
    fragment: fragments.join('#'),
  };
}
