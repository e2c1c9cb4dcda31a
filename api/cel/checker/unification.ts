/**
 * Which types type parameters stand for. An attempt to assign that fails leaves no trace.
 *
 * In Kubernetes: checker/types.go and checker/mapping.go of cel-go.
 */
import {
  DYN,
  isDynamic,
  isSameType,
  parameterOf,
  type CelKind,
  type CelType,
} from '../cel-type.ts';

/** Types that null can be assigned to. */
const NULLABLE: ReadonlySet<CelKind> = new Set([
  'opaque',
  'struct',
  'any',
  'duration',
  'timestamp',
]);

export class Unification {
  readonly #known = new Map<string, CelType>();
  /** What has been changed since an attempt began: the parameter and what it stood for. */
  #trail: (readonly [name: string, before: CelType | undefined])[] = [];

  /** Whether `from` can be where `to` is; what was learned about parameters stays when it can. */
  assign(from: CelType, to: CelType): boolean {
    return this.#attempt(() => this.#isAssignable(from, to));
  }

  assignAll(from: readonly CelType[], to: readonly CelType[]): boolean {
    return this.#attempt(() => this.#areAssignable(from, to));
  }

  /** `type` with parameters replaced by what they stand for; unknown ones stay, or become dyn. */
  resolve(type: CelType, unknownIsDyn: boolean): CelType {
    if (type.kind === 'parameter') {
      const known = this.#known.get(type.name);
      if (known !== undefined) return this.resolve(known, unknownIsDyn);
      return unknownIsDyn ? DYN : type;
    }
    if (type.parameters.length === 0) return type;
    const parameters = type.parameters.map((part) => this.resolve(part, unknownIsDyn));
    const isSame = parameters.every((part, index) => part === type.parameters[index]);
    return isSame ? type : { ...type, parameters };
  }

  #attempt(assign: () => boolean): boolean {
    this.#trail = [];
    if (assign()) return true;
    for (const [name, before] of this.#trail.reverse()) {
      if (before === undefined) this.#known.delete(name);
      else this.#known.set(name, before);
    }
    return false;
  }

  #learn(name: string, type: CelType): void {
    this.#trail.push([name, this.#known.get(name)]);
    this.#known.set(name, type);
  }

  #areAssignable(from: readonly CelType[], to: readonly CelType[]): boolean {
    return (
      from.length === to.length &&
      from.every((type, index) => this.#isAssignable(type, to[index] ?? DYN))
    );
  }

  #isAssignable(from: CelType, to: CelType): boolean {
    if (to.kind === 'parameter') {
      const outcome = this.#substitute(from, to);
      if (outcome === 'fits') return true;
      if (outcome === 'contradicts') return false;
    }
    if (from.kind === 'parameter') return this.#substitute(to, from) === 'fits';
    if (isOpen(from) || isOpen(to)) return true;
    if (from.kind === 'null') return NULLABLE.has(to.kind) || acceptsNull(to);
    if (to.kind === 'null') return NULLABLE.has(from.kind) || acceptsNull(from);
    switch (from.kind) {
      case 'type':
        return to.kind === 'type';
      case 'opaque':
      case 'list':
      case 'map':
        return (
          from.kind === to.kind &&
          from.name === to.name &&
          this.#areAssignable(from.parameters, to.parameters)
        );
      default:
        return from.kind === to.kind && from.name === to.name;
    }
  }

  /** Whether the parameter `to` can stand for `type`, given what it stands for already. */
  #substitute(type: CelType, to: CelType): 'fits' | 'contradicts' | 'occurs' {
    if (isSameType(type, to)) return 'fits';
    const known = this.#known.get(to.name);
    if (known === undefined) {
      if (this.#occursIn(to, type)) return 'occurs';
      this.#learn(to.name, type);
      return 'fits';
    }
    if (isSameType(type, known)) return 'fits';
    if (!this.#isAssignable(type, known)) return 'contradicts';
    const general = moreGeneral(type, known);
    if (!this.#occursIn(to, general)) this.#learn(to.name, general);
    return 'fits';
  }

  #occursIn(searched: CelType, type: CelType): boolean {
    if (isSameType(searched, type)) return true;
    if (type.kind === 'parameter') {
      const known = this.#known.get(type.name);
      return known !== undefined && this.#occursIn(searched, known);
    }
    return type.parameters.some((part) => this.#occursIn(searched, part));
  }
}

function isOpen(type: CelType): boolean {
  return isDynamic(type) || type.kind === 'error';
}

function acceptsNull(type: CelType): boolean {
  return type.kind === 'null' || type.nullable === true;
}

/** Of two types that go together, the one that says less. */
export function moreGeneral(one: CelType, other: CelType): CelType {
  return saysLess(one, other) ? one : other;
}

function saysLess(one: CelType, other: CelType): boolean {
  if (isDynamic(one) || one.kind === 'parameter') return true;
  if (isDynamic(other) || other.kind === 'parameter') return false;
  if (one.kind !== other.kind) return false;
  switch (one.kind) {
    case 'opaque':
    case 'list':
    case 'map':
      return (
        one.name === other.name &&
        one.parameters.length === other.parameters.length &&
        one.parameters.every((part, index) => saysLess(part, parameterOf(other, index)))
      );
    case 'type':
      return true;
    default:
      return isSameType(one, other);
  }
}

interface Signature {
  readonly parameters: readonly CelType[];
  readonly result: CelType;
}

/** `signature` with type parameters that no other call knows. */
export function instantiate(
  { parameters, result }: Signature,
  newParameter: () => CelType,
): Signature {
  const fresh = new Map<string, CelType>();
  const renamed = (type: CelType): CelType => {
    if (type.kind === 'parameter') {
      const known = fresh.get(type.name) ?? newParameter();
      fresh.set(type.name, known);
      return known;
    }
    if (type.parameters.length === 0) return type;
    return { ...type, parameters: type.parameters.map(renamed) };
  };
  return { parameters: parameters.map(renamed), result: renamed(result) };
}
