/**
 * Whether the policies in a chain allow it, where a certificate in it demands some. Hardly any does.
 *
 * In Go: policiesValid, crypto/x509, which follows RFC 5280 as RFC 9618 has changed it.
 */
import type { Certificate } from './certificate.ts';

/** 2.5.29.32.0 */
const ANY = '551d2000';

interface Node {
  readonly policy: string;
  expected: readonly string[];
  readonly parents: ReadonlySet<Node>;
  readonly children: Set<Node>;
}

type Level = Map<string, Node>;

/** @param chain from the leaf to the anchor, whose own policies do not count. */
export function allowsPolicies(chain: readonly Certificate[]): boolean {
  const below = chain.slice(0, -1);
  const demands = below.some(
    ({ requireExplicitPolicy: explicit, policyMappings }) =>
      explicit !== undefined || policyMappings.length > 0,
  );
  return !demands || new PolicyCheck(below.length).allows(below);
}

class PolicyCheck {
  /** undefined: no policy is left. */
  #levels: Level[] | undefined = [new Map([[ANY, nodeOf(ANY, [])]])];
  /** How many more certificates may do without, or do this. */
  #explicit: number;
  #mapping: number;
  #any: number;

  constructor(length: number) {
    this.#explicit = length + 1;
    this.#mapping = length + 1;
    this.#any = length + 1;
  }

  allows(below: readonly Certificate[]): boolean {
    for (const [index, certificate] of [...below.entries()].toReversed()) {
      if (certificate.policies.length === 0) this.#levels = undefined;
      if (this.#explicit === 0 && this.#levels === undefined) return false;
      this.#descend(certificate, index < below.length - 1);
      if (index === 0) break;
      if (!this.#map(certificate)) return false;
      this.#count(certificate);
    }
    if (this.#explicit > 0) this.#explicit -= 1;
    if (below[0]?.requireExplicitPolicy === 0) this.#explicit = 0;
    return this.#explicit > 0 || this.#hasValid();
  }

  #descend({ policies, rawIssuer, rawSubject }: Certificate, isBelowFirst: boolean): void {
    const levels = this.#levels;
    const above = levels?.at(-1);
    if (levels === undefined || above === undefined) return;
    const level: Level = new Map();
    const isFirst = levels.length === 1;
    for (const policy of policies) {
      if (policy === ANY) continue;
      const parents = isFirst ? [] : expecting(above, policy);
      const any = above.get(ANY);
      if (parents.length === 0 && any !== undefined) parents.push(any);
      if (parents.length > 0) level.set(policy, nodeOf(policy, parents));
    }
    const maySayAny = this.#any > 0 || (isBelowFirst && rawIssuer === rawSubject);
    if (policies.includes(ANY) && maySayAny) {
      for (const [policy, parents] of unmet(above, level))
        level.set(policy, nodeOf(policy, parents));
    }
    levels.push(level);
    this.#prune();
  }

  /** Answers whether no mapping is to or from any policy. */
  #map({ policyMappings }: Certificate): boolean {
    const level = this.#levels?.at(-1);
    if (level === undefined) return true;
    const mappings = new Map<string, string[]>();
    for (const { issuer, subject } of policyMappings) {
      if (this.#mapping === 0) remove(level, issuer);
      else if (issuer === ANY || subject === ANY) return false;
      else mappings.set(issuer, [...(mappings.get(issuer) ?? []), subject]);
    }
    this.#prune();
    for (const [issuer, subjects] of mappings) {
      const any = level.get(ANY);
      let node = level.get(issuer);
      if (node === undefined && any !== undefined) {
        node = nodeOf(issuer, [any]);
        level.set(issuer, node);
      }
      if (node !== undefined) node.expected = subjects;
    }
    return true;
  }

  #count({ rawIssuer, rawSubject, ...certificate }: Certificate): void {
    const step = rawIssuer === rawSubject ? 0 : 1;
    const next = (left: number, said = Number.POSITIVE_INFINITY): number =>
      Math.min(Math.max(left - step, 0), said);
    this.#explicit = next(this.#explicit, certificate.requireExplicitPolicy);
    this.#mapping = next(this.#mapping, certificate.inhibitPolicyMapping);
    this.#any = next(this.#any, certificate.inhibitAnyPolicy);
  }

  /** Takes away what leads to nothing. */
  #prune(): void {
    const levels = this.#levels ?? [];
    for (const level of levels.slice(1, -1).toReversed()) {
      for (const { policy, children } of level.values()) {
        if (children.size === 0) remove(level, policy);
      }
    }
  }

  #hasValid(): boolean {
    const levels = this.#levels ?? [];
    if (levels.at(-1)?.has(ANY) === true) return true;
    return levels.some((level) =>
      [...level.values()].some(({ policy, parents }) => {
        const [parent] = parents;
        return policy !== ANY && parents.size === 1 && parent?.policy === ANY;
      }),
    );
  }
}

function nodeOf(policy: string, parents: readonly Node[]): Node {
  const node: Node = { policy, expected: [policy], parents: new Set(parents), children: new Set() };
  for (const parent of parents) parent.children.add(node);
  return node;
}

function remove(level: Level, policy: string): void {
  const node = level.get(policy);
  if (node === undefined) return;
  for (const parent of node.parents) parent.children.delete(node);
  level.delete(policy);
}

function expecting(level: Level, policy: string): Node[] {
  return [...level.values()].filter(({ expected }) => expected.includes(policy));
}

function unmet(above: Level, level: Level): Map<string, Node[]> {
  const found = new Map<string, Node[]>();
  for (const node of above.values()) {
    for (const policy of node.expected) {
      if (!level.has(policy)) found.set(policy, [...(found.get(policy) ?? []), node]);
    }
  }
  return found;
}
