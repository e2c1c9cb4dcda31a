/** Small texts with a grammar of their own, sent as large ones. */
import { DYN, STRING } from '../../../../api/cel/cel-type.ts';
import { COST_PER_EXPRESSION_MAX, KUBERNETES } from '../../../../api/cel/kubernetes-environment.ts';
import { parseAddress } from '../../../../api/cel/library/address-text.ts';
import { compileJsonPath, printedValue } from '../../../../api/json-path/json-path.ts';
import type { Pod } from '../../../../api/generated/kinds/core-v1.ts';
import { canonicalElement } from '../../../../api/merge/path-element.ts';
import { parseGoDuration } from '../../../../api/meta/go-duration.ts';
import { parseLabelSelector } from '../../../../api/selectors/label-selector.ts';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  labelValueProblems,
  qualifiedNameProblems,
} from '../../../../api/meta/names.ts';
import { canonicalQuantity, parseQuantity } from '../../../../api/meta/quantity.ts';
import { compileRegularExpression } from '../../../../api/meta/regular-expression.ts';
import type { FieldErrors } from '../../../../api/field/field-errors.ts';
import { validateRequirements } from '../../../../api/kinds/pod-spec/containers/resource-requirements-validation.ts';
import { containerTotals } from '../../../../api/quota/container-totals.ts';
import { podUsage } from '../../../../api/quota/pod-usage.ts';
import { canonicalTime } from '../../../../api/scheme/typed-json-scalars.ts';
import { formatCheck } from '../../../../api/structural-schema/formats.ts';
import { dynamicValue } from '../../../../api/cel/dynamic-value.ts';
import { mergeTolerations } from '../../../../actors/admission/plugins/pods/tolerations.ts';
import { resolveYamlScalar } from '../../../../gateway/negotiation/yaml-scalar.ts';
import { POD } from '../../seeds.ts';
import { textCase, type CostCase } from '../cost-case.ts';
import { enumerated, type ShapeChoice } from '../text-shapes.ts';

type Read = (text: string) => unknown;

/** A body has no more. */
const SIDECARS_MAX = 40_000;

/** Each of which asks for a thing of another name. */
function withSidecars(names: readonly string[]): Pod {
  const initContainers = names.map((name, at) => ({
    name: `c${String(at)}`,
    restartPolicy: 'Always',
    resources: { requests: { [`example.com/${name || String(at)}`]: '1' } },
  }));
  const pod: unknown = { metadata: {}, status: {}, spec: { containers: [], initContainers } };
  return pod as Pod; // Of what is counted it has all.
}

/** So many fit into a body, with as many in the Pod. */
const CLAIMS_MAX = 60_000;
const none = (): FieldErrors => [];

/** An object has no more parts: see typed-json.ts. */
const TOLERATIONS_MAX = 100_000;

const FORMATS = [
  'bsonobjectid', 'uri', 'email', 'hostname', 'ipv4', 'ipv6', 'cidr', 'mac', 'uuid', 'uuid3', 'uuid4', 'uuid5',
  'isbn', 'isbn10', 'isbn13', 'creditcard', 'ssn', 'hexcolor', 'rgbcolor', 'byte', 'password', 'date', 'duration',
  'datetime', 'date-time', 'k8s-short-name', 'k8s-long-name',
]; // prettier-ignore

const environment = KUBERNETES.extend({
  variables: [
    { name: 'self', type: DYN },
    { name: 's', type: STRING },
  ],
});

/** One function of the language on a long text. */
const CEL_OF_TEXT = [
  'double(s)', 'int(s)', 'uint(s)', 'bool(s)', 'timestamp(s)', 'duration(s)', 'quantity(s)', 'isQuantity(s)', 'url(s)',
  'isURL(s)', 'ip(s)', 'isIP(s)', 'cidr(s)', 'isCIDR(s)', 'semver(s)', 'isSemver(s)', 'semver(s + ".1.1")',
  'semver("1.1.1-" + s)', 's.split(",")', 's.split("")',
  's.replace("a", "bc")', 's.indexOf("!")', 's.lastIndexOf("b")', 's.lowerAscii()', 's.upperAscii()', 's.trim()',
  's.charAt(1)', 's.substring(1)', 's.reverse()', 's.find("a+!")', 's.findAll("a")', 's.matches("(a|aa)+$")', 'bytes(s)',
  's.format([1])', 's + s', 's == s + "a"', 's in [s]', '{s: 1}[s]', 's.split(",").join("-")', 's.contains("!!")',
  'size(s)', 's.startsWith(s)', 's.split(",").map(x, x + "a")', 's.split(",").all(x, x != "z")', 'self[s]',
  's.split(",").distinct()', 's.split(",").sort()', 'sets.contains(s.split(","), s.split(","))', 'strings.quote(s)',
  's.split(",").exists_one(x, x == "!")', 's.split(",").slice(1, 2)', 's.split(",").flatten()', 's.split(",").isSorted()',
  's.split(",").sum() == ""', 's.split(",").max()', 's.split(",").indexOf("!")', 'format.dns1123Label().validate(s)',
]; // prettier-ignore

const pod = dynamicValue(POD);

function evaluatedOn(expression: string): Read {
  const compiled = environment.compile(expression);
  if (!compiled.ok) return () => compiled.message;
  return (s) =>
    compiled.program.evaluate(
      new Map([
        ['self', pod],
        ['s', dynamicValue(s)],
      ]),
      { costMax: COST_PER_EXPRESSION_MAX },
    );
}

const READERS: Readonly<Record<string, Read>> = {
  quantity: (text) => [parseQuantity(text), canonicalQuantity(text)],
  time: (text) => canonicalTime(text, 'microseconds'),
  duration: (text) => parseGoDuration(text),
  label: (text) => dns1123LabelProblems(text),
  subdomain: (text) => dns1123SubdomainProblems(text),
  'label value': (text) => labelValueProblems(text),
  'qualified name': (text) => qualifiedNameProblems(text),
  address: (text) => parseAddress(text),
  'label comparison': (text) => parseLabelSelector(`a>${text}`),
  'path element': (text) => canonicalElement(`i:${text}`),
  'YAML scalar': (text) => resolveYamlScalar(text),
  tolerations: (text) => {
    const parts = text
      .split(',', TOLERATIONS_MAX)
      .map((value, at) => ({ key: value || String(at), operator: 'Equal' }));
    return mergeTolerations(parts, parts);
  },
  'claims that are not there': (text) => {
    const names = text.split(',', CLAIMS_MAX).map((name, at) => name || String(at));
    const claims = names.map((name) => ({ name, request: '' }));
    return validateRequirements('a', { claims }, new Set(names.map((name) => `${name}x`)), none);
  },
  'totals of sidecars': (text) =>
    containerTotals(withSidecars(text.split(',', SIDECARS_MAX)).spec, 'requests'),
  'quota of sidecars': (text) => podUsage(withSidecars(text.split(',', SIDECARS_MAX)), 0),
  JSONPath: (text) => Array.from(compileJsonPath(text)?.(POD) ?? [], (one) => printedValue(one)),
  'regular expression': (text) => compileRegularExpression(text),
  'CEL expression': (text) => environment.compile(text),
  ...Object.fromEntries(
    FORMATS.map((format) => [`format ${format}`, (text: string) => formatCheck(format)?.(text)]),
  ),
  ...Object.fromEntries(CEL_OF_TEXT.map((one) => [`CEL ${one}`, evaluatedOn(one)])),
};

const EXPRESSIONS: readonly { readonly name: string; readonly textOf: (bytes: number) => string }[] = [
  { name: 'long sum', textOf: (bytes) => enumerated((at) => String(at), bytes, ' + ') },
  { name: 'long and', textOf: (bytes) => enumerated(() => 's == "a"', bytes, ' && ') },
  { name: 'long list', textOf: (bytes) => `[${enumerated((at) => String(at), bytes, ', ')}]` },
  { name: 'long map', textOf: (bytes) => `{${enumerated((at) => `"${String(at)}": 1`, bytes, ', ')}}` },
  { name: 'brackets', textOf: (bytes) => '('.repeat(bytes / 2) + ')'.repeat(bytes / 2) },
  { name: 'calls of calls', textOf: (bytes) => `s${'.trim()'.repeat(bytes / 7)}` },
  { name: 'conditions', textOf: (bytes) => `${'true ? 1 : '.repeat(bytes / 11)}1` },
  { name: 'selections', textOf: (bytes) => `self${'.a'.repeat(bytes / 2)}` },
  { name: 'nots', textOf: (bytes) => `${'!'.repeat(bytes)}true` },
]; // prettier-ignore

/** As large as one value may be, which is much less than a body where a rule limits it. */
export function cases({ texts: shapes }: ShapeChoice): CostCase[] {
  return Object.entries(READERS).flatMap(([name, read]) => [
    ...shapes.map((shape) =>
      textCase(`${name}: ${shape.name}`, 'after authentication', shape.textOf, read),
    ),
    ...(name === 'CEL expression' ? EXPRESSIONS : []).map((shape) =>
      textCase(`${name}: ${shape.name}`, 'after authentication', shape.textOf, read),
    ),
  ]);
}
