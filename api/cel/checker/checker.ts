/**
 * What type every part of an expression has and which overloads its calls can mean. An overload
 * that only the types of values could choose stays open until they are there.
 *
 * In Kubernetes: checker/checker.go of cel-go.
 */
import {
  BOOL,
  DYN,
  ERROR,
  formatType,
  isDynamic,
  isOptionalType,
  isSameType,
  listOf,
  mapOf,
  optionalOf,
  parameter,
  parameterOf,
  type CelType,
} from '../cel-type.ts';
import {
  iteratedTypes,
  literalType,
  noOverloadMessage,
  type CheckedTypes,
  type CheckerEnvironment,
  type Identifier,
  type IteratedTypes,
} from './checked-types.ts';
import type { FunctionDeclaration, Overload } from '../declarations.ts';
import {
  qualifiedName,
  type CallForm,
  type Expression,
  type FoldForm,
  type ListForm,
  type MapEntry,
  type SelectForm,
  type StructForm,
} from '../syntax/expression.ts';
import type { SourceErrors } from '../syntax/source.ts';
import { instantiate, moreGeneral, Unification } from './unification.ts';

/** Types of `root`, whose forms may change; what is wrong is reported to `errors`. */
export function check(
  root: Expression,
  environment: CheckerEnvironment,
  errors: SourceErrors,
): CheckedTypes {
  const checker = new Checker(environment, errors);
  checker.check(root);
  return checker.result(root);
}

class Checker {
  readonly #environment: CheckerEnvironment;
  readonly #errors: SourceErrors;
  readonly #unification = new Unification();
  readonly #types = new Map<number, CelType>();
  readonly #overloads = new Map<number, readonly Overload[]>();
  readonly #identifiers = new Map<number, Identifier>();
  readonly #scopes: Map<string, CelType>[] = [];
  #parameterCount = 0;

  constructor(environment: CheckerEnvironment, errors: SourceErrors) {
    this.#environment = environment;
    this.#errors = errors;
  }

  result(root: Expression): CheckedTypes {
    for (const [id, type] of this.#types)
      this.#types.set(id, this.#unification.resolve(type, true));
    return {
      root,
      names: new Set([...this.#identifiers.values()].map(({ name }) => name)),
      typeOf: (node) => this.typeOf(node),
      overloadsOf: (node) => this.overloadsOf(node),
      identifierOf: (node) => this.identifierOf(node),
    };
  }

  typeOf({ id }: Expression): CelType {
    return this.#types.get(id) ?? DYN;
  }

  overloadsOf({ id }: Expression): readonly Overload[] {
    return this.#overloads.get(id) ?? [];
  }

  identifierOf({ id }: Expression): Identifier | undefined {
    return this.#identifiers.get(id);
  }

  check(node: Expression): void {
    const { form } = node;
    switch (form.kind) {
      case 'literal':
        return this.#setType(node, literalType(form.value));
      case 'ident':
        return this.#checkIdent(node, form.name);
      case 'select':
        return this.#checkSelect(node, form);
      case 'call':
        return this.#checkCall(node, form);
      case 'list':
        return this.#checkList(node, form);
      case 'map':
        return this.#checkMap(node, form.entries);
      case 'struct':
        return this.#checkStruct(node, form);
      case 'fold':
        return this.#checkFold(node, form);
      case 'broken':
        return this.#setType(node, ERROR);
    }
  }

  #lookup(name: string): Identifier | undefined {
    const type = this.#scopes.findLast((scope) => scope.has(name))?.get(name);
    return type === undefined ? this.#environment.variable(name) : { name, type };
  }

  #setType({ id }: Expression, type: CelType): void {
    this.#types.set(id, type);
  }

  #setIdentifier(node: Expression, identifier: Identifier): void {
    this.#setType(node, identifier.type);
    this.#identifiers.set(node.id, identifier);
    node.form = { kind: 'ident', name: identifier.name };
  }

  #checkIdent(node: Expression, name: string): void {
    const identifier = this.#lookup(name);
    if (identifier !== undefined) return this.#setIdentifier(node, identifier);
    this.#undeclared(node, name);
  }

  #undeclared(node: Expression, name: string): void {
    this.#setType(node, ERROR);
    const { container } = this.#environment;
    this.#report(node, `undeclared reference to '${name}' (in container '${container}')`);
  }

  #report({ offset }: { readonly offset: number }, message: string): void {
    this.#errors.report(offset, message);
  }

  #checkSelect(node: Expression, form: SelectForm): void {
    const name = qualifiedName(node);
    const identifier = name === undefined ? undefined : this.#lookup(name);
    if (identifier !== undefined) return this.#setIdentifier(node, identifier);
    const type = this.#fieldOf(node, form.operand, form.field, false);
    this.#setType(node, this.#unification.resolve(form.isTest ? BOOL : type, false));
  }

  #checkOptionalSelect(node: Expression, form: CallForm): void {
    const [operand, field] = form.args;
    const key = field?.form;
    if (operand === undefined || key?.kind !== 'literal' || typeof key.value !== 'string') {
      return this.#setType(node, ERROR);
    }
    const type = this.#fieldOf(node, operand, key.value, true);
    this.#setType(node, this.#unification.resolve(type, false));
    const { overloads } = this.#environment.function('_?._') ?? { overloads: [] };
    this.#overloads.set(node.id, overloads);
  }

  #fieldOf(node: Expression, operand: Expression, field: string, isOptional: boolean): CelType {
    this.check(operand);
    const operandType = this.#unification.resolve(this.typeOf(operand), false);
    const wasOptional = isOptionalType(operandType);
    const target = wasOptional ? parameterOf(operandType, 0) : operandType;
    const type = this.#selected(node, target, field);
    return wasOptional || isOptional ? optionalOf(type) : type;
  }

  #selected(node: Expression, target: CelType, field: string): CelType {
    switch (target.kind) {
      case 'map':
        return parameterOf(target, 1);
      case 'struct':
        return this.#structField(node, target.name, field);
      case 'parameter':
        this.#unification.assign(DYN, target);
        return DYN;
      case 'dyn':
      case 'any':
      case 'error':
        return DYN;
      default:
        this.#report(node, `type '${formatType(target)}' does not support field selection`);
        return DYN;
    }
  }

  #structField(node: { readonly offset: number }, struct: string, field: string): CelType {
    const { structs } = this.#environment;
    if (!structs.has(struct)) {
      this.#report(node, `unexpected failed resolution of '${struct}'`);
      return ERROR;
    }
    const type = structs.fieldType(struct, field);
    if (type === undefined) this.#report(node, `undefined field '${field}'`);
    return type ?? ERROR;
  }

  #checkCall(node: Expression, form: CallForm): void {
    if (form.name === '_?._') return this.#checkOptionalSelect(node, form);
    for (const arg of form.args) this.check(arg);
    const { target, name, args } = form;
    if (target === undefined) {
      const declared = this.#environment.function(name);
      if (declared === undefined) return this.#undeclared(node, name);
      node.form = { ...form, name: declared.name };
      return this.#resolve(node, declared, undefined, args);
    }
    const prefix = qualifiedName(target);
    const namespaced =
      prefix === undefined ? undefined : this.#environment.function(`${prefix}.${name}`);
    if (namespaced !== undefined) {
      node.form = { kind: 'call', name: namespaced.name, target: undefined, args };
      return this.#resolve(node, namespaced, undefined, args);
    }
    this.check(target);
    const declared = this.#environment.function(name);
    if (declared === undefined) return this.#undeclared(node, name);
    this.#resolve(node, declared, target, args);
  }

  #resolve(
    node: Expression,
    declared: FunctionDeclaration,
    target: Expression | undefined,
    args: readonly Expression[],
  ): void {
    const operands = target === undefined ? args : [target, ...args];
    if (declared.name === '_&&_' || declared.name === '_||_') {
      return this.#resolveLogical(node, declared, args);
    }
    const types = operands.map((operand) => this.typeOf(operand));
    const candidates = declared.overloads.filter(
      ({ isMember }) => isMember === (target !== undefined),
    );
    let result: CelType | undefined;
    const chosen: Overload[] = [];
    for (const candidate of candidates) {
      const fresh = instantiate(candidate, () => this.#newParameter());
      if (!this.#unification.assignAll(types, fresh.parameters)) continue;
      chosen.push(candidate);
      const type = this.#unification.resolve(fresh.result, false);
      const isDoubtful = result !== undefined && !isDynamic(result) && !isSameType(type, result);
      result = isDoubtful ? DYN : (result ?? type);
    }
    if (result === undefined) return this.#noOverload(node, declared.name, types, target);
    this.#setType(node, result);
    this.#overloads.set(node.id, chosen);
  }

  #resolveLogical(
    node: Expression,
    declared: FunctionDeclaration,
    args: readonly Expression[],
  ): void {
    let isRight = true;
    for (const arg of args) isRight = this.#expect(arg, BOOL, true) && isRight;
    this.#setType(node, isRight ? BOOL : ERROR);
    if (isRight) this.#overloads.set(node.id, declared.overloads);
  }

  #noOverload(
    node: Expression,
    name: string,
    types: readonly CelType[],
    target: Expression | undefined,
  ): void {
    this.#setType(node, ERROR);
    const known = types.map((type) => this.#unification.resolve(type, true));
    this.#report(node, noOverloadMessage(name, known, target !== undefined));
  }

  #newParameter(): CelType {
    return parameter(`_var${String(this.#parameterCount++)}`);
  }

  #checkList(node: Expression, { items, optional }: ListForm): void {
    let type: CelType | undefined;
    for (const [index, item] of items.entries()) {
      this.check(item);
      const itemType = this.#unwrapped(item, optional.has(index));
      type = this.#joined(item, type, itemType);
    }
    this.#setType(node, listOf(type ?? this.#newParameter()));
  }

  #checkMap(node: Expression, entries: readonly MapEntry[]): void {
    let keyType: CelType | undefined;
    let valueType: CelType | undefined;
    for (const { key, value, isOptional } of entries) {
      this.check(key);
      keyType = this.#joined(key, keyType, this.typeOf(key));
      this.check(value);
      valueType = this.#joined(value, valueType, this.#unwrapped(value, isOptional));
    }
    keyType ??= this.#newParameter();
    this.#setType(node, mapOf(keyType, valueType ?? this.#newParameter()));
  }

  /** The type of an item; of what is in it where the item has a question mark. */
  #unwrapped(item: Expression, isOptional: boolean): CelType {
    const type = this.typeOf(item);
    if (!isOptional) return type;
    if (isOptionalType(type)) return parameterOf(type, 0);
    if (!isDynamic(type)) this.#mismatch(item, optionalOf(type), type);
    return type;
  }

  #joined(node: Expression, previous: CelType | undefined, current: CelType): CelType {
    if (previous === undefined) return current;
    if (this.#unification.assign(previous, current)) return moreGeneral(previous, current);
    if (this.#environment.hasMixedLiterals) return DYN;
    this.#mismatch(node, previous, current);
    return ERROR;
  }

  #mismatch(node: Expression, expected: CelType, found: CelType): void {
    const [one, other] = [formatType(expected), formatType(found)];
    this.#report(node, `expected type '${one}' but found '${other}'`);
  }

  #checkStruct(node: Expression, { name, fields }: StructForm): void {
    const identifier = this.#lookup(name);
    if (identifier === undefined) return this.#undeclared(node, name);
    this.#setType(node, this.#constructed(node, identifier));
    node.form = { kind: 'struct', name: identifier.name, fields };
    this.#identifiers.set(node.id, { name: identifier.name, type: identifier.type });
    for (const field of fields) {
      this.check(field.value);
      const fieldType = this.#structField(field, identifier.name, field.name);
      const type = this.#unwrapped(field.value, field.isOptional);
      if (this.#unification.assign(fieldType, type)) continue;
      const [expected, found] = [formatType(fieldType), formatType(type)];
      const what = `expected type of field '${field.name}' is '${expected}'`;
      this.#report(field, `${what} but provided type is '${found}'`);
    }
  }

  #constructed(node: Expression, { type }: Identifier): CelType {
    if (type.kind !== 'type') {
      this.#report(node, `'${type.name}' is not a type`);
      return ERROR;
    }
    const made = parameterOf(type, 0);
    if (made.kind === 'struct' || this.#environment.structs.has(made.name)) return made;
    this.#report(node, `'${made.name}' is not a message type`);
    return ERROR;
  }

  #checkFold(node: Expression, form: FoldForm): void {
    this.check(form.range);
    this.check(form.init);
    const rangeType = this.#unification.resolve(this.typeOf(form.range), false);
    const accumulatorType = this.typeOf(form.init);
    const [first, second] = this.#iterated(form, rangeType);
    this.#scopes.push(new Map([[form.accumulator, accumulatorType]]));
    const loop = new Map([[form.variable, first]]);
    if (form.secondVariable !== '') loop.set(form.secondVariable, second);
    this.#scopes.push(loop);
    this.check(form.condition);
    this.#expect(form.condition, BOOL);
    this.check(form.step);
    this.#expect(form.step, accumulatorType);
    this.#scopes.pop();
    this.check(form.result);
    this.#scopes.pop();
    this.#setType(node, this.#unification.resolve(this.typeOf(form.result), false));
  }

  /** What the variables of a loop are. */
  #iterated({ range, secondVariable }: FoldForm, type: CelType): IteratedTypes {
    if (type.kind === 'parameter') this.#unification.assign(DYN, type);
    const types = iteratedTypes(type, secondVariable !== '');
    if (types !== undefined) return types;
    const what = `expression of type '${formatType(type)}' cannot be range of a comprehension`;
    this.#report(range, `${what} (must be list, map, or dynamic)`);
    return [ERROR, ERROR];
  }

  #expect(node: Expression, type: CelType, isArgument = false): boolean {
    const found = this.typeOf(node);
    const fits = isArgument
      ? this.#unification.assign(found, type)
      : this.#unification.assign(type, found);
    if (!fits) this.#mismatch(node, type, found);
    return fits;
  }
}
