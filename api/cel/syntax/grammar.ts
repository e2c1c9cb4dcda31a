/**
 * The grammar of the language. It is data, because what the parser expects at a place, and where
 * it goes on behind a mistake, is derived from it. The names of labels are for readers of the tree.
 *
 * In Kubernetes: the rules of CEL.g4 in cel-go.
 */
import { END } from './terminals.ts';

export type RuleName =
  | 'start'
  | 'expr'
  | 'or'
  | 'and'
  | 'relation'
  | 'calc'
  | 'unary'
  | 'member'
  | 'primary'
  | 'exprList'
  | 'listItems'
  | 'fieldList'
  | 'field'
  | 'mapEntries'
  | 'name'
  | 'item'
  | 'literal';

/** Which alternative is taken, where the next token does not decide. */
export type Prediction =
  | 'unary'
  | 'minus'
  | 'suffix'
  | 'primary'
  | 'literal'
  /** Another item, unless the comma is the last one. */
  | 'item'
  /** An operator that binds strongly enough. */
  | 'operator';

export type Element =
  | { readonly kind: 'token'; readonly terminals: readonly string[]; readonly label: string }
  | {
      readonly kind: 'call';
      readonly rule: RuleName;
      readonly label: string;
      readonly precedence: number;
    }
  | { readonly kind: 'optional'; readonly body: Sequence }
  | Repetition
  | {
      readonly kind: 'choice';
      readonly alternatives: Readonly<Record<string, Sequence>>;
      readonly prediction: Prediction | undefined;
    };

export interface Repetition {
  readonly kind: 'repeat';
  readonly body: Sequence;
  readonly least: 0 | 1;
  readonly prediction: Prediction | undefined;
}

export type Sequence = readonly Element[];

/** An operator of a rule that begins with itself; what stands left of it is labelled `left`. */
export interface Operator {
  readonly label: string;
  /** Those with more bind more strongly. */
  readonly precedence: number;
  readonly body: Sequence;
}

export interface RuleForm {
  readonly body: Sequence;
  readonly operators: readonly Operator[];
}

const sign = (text: string, label = ''): Element => ({
  kind: 'token',
  terminals: [`'${text}'`],
  label,
});
const signs = (texts: string, label: string): Element => ({
  kind: 'token',
  terminals: texts.split(' ').map((text) => `'${text}'`),
  label,
});
const token = (terminal: string, label = ''): Element => ({
  kind: 'token',
  terminals: [terminal],
  label,
});
const call = (rule: RuleName, label: string, precedence = 0): Element => {
  return { kind: 'call', rule, label, precedence };
};
const optional = (...body: Sequence): Element => ({ kind: 'optional', body });
const repeat = (body: Sequence, prediction?: Prediction): Element => {
  return { kind: 'repeat', body, least: 0, prediction };
};
const repeatOnce = (body: Sequence, prediction?: Prediction): Element => {
  return { kind: 'repeat', body, least: 1, prediction };
};
const choice = (
  alternatives: Readonly<Record<string, Sequence>>,
  prediction?: Prediction,
): Element => ({ kind: 'choice', alternatives, prediction });
const rule = (...body: Sequence): RuleForm => ({ body, operators: [] });

/** `.name`, or `name`. */
const PATH_START: Sequence = [optional(sign('.', 'dot')), token('IDENTIFIER', 'names')];
const ARGUMENTS: Sequence = [sign('(', 'open'), optional(call('exprList', 'args')), sign(')')];
const QUESTION = optional(sign('?', 'question'));

/** `what`, and perhaps one more comma, up to `close`. */
const listed = (what: RuleName, close: string): Sequence => [
  optional(call(what, 'list')),
  optional(sign(',')),
  sign(close),
];

export const GRAMMAR: Readonly<Record<RuleName, RuleForm>> = {
  start: rule(call('expr', 'expr'), token(END)),
  expr: rule(
    call('or', 'condition'),
    optional(sign('?', 'question'), call('or', 'isTrue'), sign(':'), call('expr', 'isFalse')),
  ),
  or: rule(call('and', 'terms'), repeat([sign('||', 'signs'), call('and', 'terms')])),
  and: rule(call('relation', 'terms'), repeat([sign('&&', 'signs'), call('relation', 'terms')])),
  relation: {
    body: [call('calc', 'inner')],
    operators: [
      {
        label: 'binary',
        precedence: 1,
        body: [signs('< <= >= > == != in', 'sign'), call('relation', 'right', 2)],
      },
    ],
  },
  calc: {
    body: [call('unary', 'inner')],
    operators: [
      { label: 'binary', precedence: 2, body: [signs('* / %', 'sign'), call('calc', 'right', 3)] },
      { label: 'binary', precedence: 1, body: [signs('+ -', 'sign'), call('calc', 'right', 2)] },
    ],
  },
  unary: rule(
    choice(
      {
        inner: [call('member', 'inner')],
        not: [repeatOnce([sign('!', 'signs')]), call('member', 'operand')],
        minus: [repeatOnce([sign('-', 'signs')], 'minus'), call('member', 'operand')],
      },
      'unary',
    ),
  ),
  member: {
    body: [call('primary', 'inner')],
    operators: [
      { label: 'select', precedence: 3, body: [sign('.', 'dot'), QUESTION, call('name', 'name')] },
      {
        label: 'call',
        precedence: 2,
        body: [sign('.', 'dot'), token('IDENTIFIER', 'names'), ...ARGUMENTS],
      },
      {
        label: 'index',
        precedence: 1,
        body: [sign('[', 'open'), QUESTION, call('expr', 'index'), sign(']')],
      },
    ],
  },
  primary: rule(
    choice(
      {
        name: PATH_START,
        call: [...PATH_START, ...ARGUMENTS],
        inner: [sign('('), call('expr', 'inner'), sign(')')],
        list: [sign('[', 'open'), ...listed('listItems', ']')],
        map: [sign('{', 'open'), ...listed('mapEntries', '}')],
        message: [
          ...PATH_START,
          repeat([sign('.'), token('IDENTIFIER', 'names')]),
          sign('{', 'open'),
          ...listed('fieldList', '}'),
        ],
        literal: [call('literal', 'inner')],
      },
      'primary',
    ),
  ),
  exprList: rule(call('expr', 'items'), repeat([sign(','), call('expr', 'items')])),
  listItems: rule(call('item', 'items'), repeat([sign(','), call('item', 'items')], 'item')),
  fieldList: rule(
    call('field', 'keys'),
    sign(':', 'colons'),
    call('expr', 'values'),
    repeat([sign(','), call('field', 'keys'), sign(':', 'colons'), call('expr', 'values')], 'item'),
  ),
  field: rule(QUESTION, call('name', 'name')),
  mapEntries: rule(
    call('item', 'keys'),
    sign(':', 'colons'),
    call('expr', 'values'),
    repeat([sign(','), call('item', 'keys'), sign(':', 'colons'), call('expr', 'values')], 'item'),
  ),
  name: rule(
    choice({ plain: [token('IDENTIFIER', 'id')], escaped: [token('ESC_IDENTIFIER', 'id')] }),
  ),
  item: rule(QUESTION, call('expr', 'expr')),
  literal: rule(
    choice(
      {
        int: [optional(sign('-', 'minus')), token('NUM_INT', 'value')],
        uint: [token('NUM_UINT', 'value')],
        float: [optional(sign('-', 'minus')), token('NUM_FLOAT', 'value')],
        string: [token('STRING', 'value')],
        bytes: [token('BYTES', 'value')],
        true: [sign('true', 'value')],
        false: [sign('false', 'value')],
        null: [sign('null', 'value')],
      },
      'literal',
    ),
  ),
};
