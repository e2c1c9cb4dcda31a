/**
 * Addresses of networks and of their cards. The surprise is that `ipv4` and `cidr` take numbers
 * with leading zeros, as Go did before 1.17, and `ipv6` does not.
 *
 * In Kubernetes: strfmt of kube-openapi; ParseIPSloppy and ParseCIDRSloppy of k8s.io/utils/net.
 */

/** Anything with a dot that is an address, so `::ffff:1.2.3.4` too. */
export function isIpv4(text: string): boolean {
  if (!text.includes('.')) return false;
  const colon = text.indexOf(':');
  const isFour = colon < 0 || text.indexOf('.') < colon;
  return isFour ? isFourNumbers(text, 'lenient') : isGroups(text, 'lenient');
}

export function isIpv6(text: string): boolean {
  return text.includes(':') && isGroups(text, 'strict');
}

export function isCidr(text: string): boolean {
  const slash = text.indexOf('/');
  if (slash < 0) return false;
  const address = text.slice(0, slash);
  const prefix = text.slice(slash + 1);
  const isFour = isFourNumbers(address, 'lenient');
  if (!isFour && !isGroups(address, 'lenient')) return false;
  return /^\d+$/.test(prefix) && Number(prefix) <= (isFour ? 32 : 128);
}

const PAIRS = /^[0-9a-f]{2}(?:(?::[0-9a-f]{2})+|(?:-[0-9a-f]{2})+)$/i;
const QUADS = /^[0-9a-f]{4}(?:\.[0-9a-f]{4})*$/i;
const MAC_TEXT_MAX = 59;
const MAC_BYTES: readonly number[] = [6, 8, 20];

export function isMac(text: string): boolean {
  if (text.length > MAC_TEXT_MAX) return false;
  if (PAIRS.test(text)) return MAC_BYTES.includes((text.length + 1) / 3);
  return QUADS.test(text) && MAC_BYTES.includes((2 * (text.length + 1)) / 5);
}

type Leniency = 'strict' | 'lenient';

function isFourNumbers(text: string, leniency: Leniency): boolean {
  const parts = text.split('.', 5);
  const shape = leniency === 'strict' ? /^(?:0|[1-9]\d{0,2})$/ : /^\d+$/;
  return parts.length === 4 && parts.every((part) => shape.test(part) && Number(part) <= 255);
}

const GROUPS_MAX = 8;

function isGroups(text: string, leniency: Leniency): boolean {
  const halves = text.split('::', 3);
  if (halves.length > 2) return false;
  const [before = '', after] = halves;
  const groups = [groupsOf(before), groupsOf(after ?? '')].flat();
  const shape = leniency === 'strict' ? /^[0-9a-f]{1,4}$/i : /^0*[0-9a-f]{1,4}$/i;
  // Only the end may be written as four numbers, which are two groups.
  const last = groups.at(-1) ?? '';
  const endsInFour = last.includes('.') && after !== '' && isFourNumbers(last, leniency);
  const hex = endsInFour ? groups.slice(0, -1) : groups;
  if (!hex.every((group) => shape.test(group))) return false;
  const count = hex.length + (endsInFour ? 2 : 0);
  return after === undefined ? count === GROUPS_MAX : count < GROUPS_MAX;
}

function groupsOf(half: string): string[] {
  return half === '' ? [] : half.split(':', GROUPS_MAX + 1);
}
