/**
 * Reads the tag out of a container image's name. Written by hand and linear in the length of the
 * name, because one regular expression for the whole grammar could be made to backtrack by a client that
 * writes the pod.
 *
 * In Kubernetes: ParseImageName, pkg/util/parsers, over github.com/distribution/reference.
 */
const identifier = /^[a-f0-9]{64}$/;
const domain =
  /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?$/;
const pathComponent = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/;
const tagForm = /^\w[\w.-]{0,127}$/;
const digestForm = /^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$/;

/** In bytes; names this long can only be ASCII. */
const PATH_BYTES_MAX = 255;

/**
 * The tag in `image`: `latest` when the image has neither tag nor digest, '' when it has a digest
 * only, and '' too when the name is malformed, as upstream ignores the error and goes on.
 */
export function imageTag(image: string): string {
  if (identifier.test(image)) return '';
  const [host, remainder] = splitDomain(image);
  const at = remainder.indexOf('@');
  const head = at === -1 ? remainder : remainder.slice(0, at);
  if (at !== -1 && !digestForm.test(remainder.slice(at + 1))) return '';

  const colon = head.lastIndexOf(':');
  const tagged = colon > head.lastIndexOf('/');
  const tag = tagged ? head.slice(colon + 1) : '';
  if (tagged && !tagForm.test(tag)) return '';
  if (!isName(host, tagged ? head.slice(0, colon) : head)) return '';
  return tag === '' && at === -1 ? 'latest' : tag;
}

/** `[registry, rest]`; Docker Hub where the first part of the path cannot be a host. */
function splitDomain(image: string): [string, string] {
  const slash = image.indexOf('/');
  if (slash === -1) return ['docker.io', `library/${image}`];
  const first = image.slice(0, slash);
  const isHost = first === 'localhost' || /[.:]/.test(first) || first.toLowerCase() !== first;
  if (!isHost) return ['docker.io', image];
  const rest = image.slice(slash + 1);
  const onHub = first === 'docker.io' || first === 'index.docker.io';
  if (!onHub) return [first, rest];
  return ['docker.io', rest.includes('/') ? rest : `library/${rest}`];
}

/** A first part that is no host may still be the first component of a path. */
function isName(host: string, path: string): boolean {
  if (!path.split('/').every((component) => pathComponent.test(component))) return false;
  if (domain.test(host)) return path.length <= PATH_BYTES_MAX;
  return pathComponent.test(host) && host.length + 1 + path.length <= PATH_BYTES_MAX;
}
