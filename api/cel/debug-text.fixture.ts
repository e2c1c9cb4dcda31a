/**
 * The tree of an expression as text, in the form in which the data of the language's specification
 * has it. What says of which sort a node is has been left out there and here.
 *
 * In Kubernetes: common/debug of cel-go.
 */
import { goQuote } from '../json/go-format.ts';
import type { Expression, FoldForm } from './syntax/expression.ts';
import { goText } from './go-text.ts';
import { CelBytes, CelDouble, CelUint, type CelValue } from './value.ts';

export function debugText({ form }: Expression): string {
  switch (form.kind) {
    case 'literal':
      return literalText(form.value);
    case 'ident':
      return form.name;
    case 'select':
      return `${debugText(form.operand)}.${form.field}${form.isTest ? '~test-only~' : ''}`;
    case 'call': {
      const target = form.target === undefined ? '' : `${debugText(form.target)}.`;
      return `${target}${form.name}${bracketed('()', form.args.map(debugText))}`;
    }
    case 'list':
      return bracketed('[]', form.items.map(debugText));
    case 'map':
      return bracketed(
        '{}',
        form.entries.map(({ key, value, isOptional }) => {
          return `${isOptional ? '?' : ''}${debugText(key)}:${debugText(value)}`;
        }),
      );
    case 'struct': {
      const fields = form.fields.map(({ name, value, isOptional }) => {
        return `${isOptional ? '?' : ''}${name}:${debugText(value)}`;
      });
      return form.name + bracketed('{}', fields);
    }
    case 'fold':
      return foldText(form);
    default:
      return '';
  }
}

function foldText(form: FoldForm): string {
  const variables = [form.variable, form.secondVariable].filter((name) => name !== '');
  const parts: readonly (readonly [string, string])[] = [
    ['Variable', variables.join(',\n')],
    ['Target', debugText(form.range)],
    ['Accumulator', form.accumulator],
    ['Init', debugText(form.init)],
    ['LoopCondition', debugText(form.condition)],
    ['LoopStep', debugText(form.step)],
    ['Result', debugText(form.result)],
  ];
  const lines = parts.map(([name, text]) => `// ${name}\n${text}`).join(',\n');
  return `__comprehension__(\n${indented(lines)})`;
}

function bracketed(brackets: string, parts: readonly string[]): string {
  const [open = '', close = ''] = brackets;
  return parts.length === 0 ? brackets : `${open}\n${indented(parts.join(',\n'))}\n${close}`;
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ');
}

function literalText(value: CelValue): string {
  if (typeof value === 'string') return goQuote(value);
  if (value instanceof CelBytes) return `b${goQuote(Buffer.from(value.bytes).toString('latin1'))}`;
  if (value instanceof CelDouble) return String(value.value);
  return value instanceof CelUint ? `${goText(value)}u` : goText(value);
}
