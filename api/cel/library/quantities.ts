/**
 * Amounts: `quantity('1Gi').isGreaterThan(quantity('500Mi'))`.
 *
 * In Kubernetes: apiserver/pkg/cel/library/quantity.go.
 */
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  quantityOf,
  type Quantity,
} from '../../meta/quantity.ts';
import { BOOL, DOUBLE, INT, STRING } from '../cel-type.ts';
import { declare, method, overload, type Implementation, type Library } from '../declarations.ts';
import {
  CelDouble,
  CelError,
  CelOpaque,
  intOf,
  isInt,
  NO_SUCH_OVERLOAD,
  type CelValue,
} from '../value.ts';
import { QUANTITY_TYPE } from './opaque-values.ts';

class CelQuantity extends CelOpaque {
  override readonly type = QUANTITY_TYPE;
  readonly quantity: Quantity;

  constructor(quantity: Quantity) {
    super();
    this.quantity = quantity;
  }

  override equals(other: CelValue): boolean {
    return other instanceof CelQuantity && compareQuantities(this.quantity, other.quantity) === 0;
  }
}

const parse: Implementation = (text) => {
  if (typeof text !== 'string') return NO_SUCH_OVERLOAD;
  const parsed = parseQuantity(text);
  return parsed.ok ? new CelQuantity(parsed.quantity) : new CelError(parsed.why);
};

const isQuantity: Implementation = (text) =>
  typeof text === 'string' ? parseQuantity(text).ok : NO_SUCH_OVERLOAD;

function ofQuantity(run: (quantity: Quantity) => CelValue): Implementation {
  return (value) => (value instanceof CelQuantity ? run(value.quantity) : NO_SUCH_OVERLOAD);
}

/** The second may be an int. */
function ofTwo(run: (one: Quantity, other: Quantity) => CelValue): Implementation {
  return (one, other) => {
    if (!(one instanceof CelQuantity)) return NO_SUCH_OVERLOAD;
    if (other instanceof CelQuantity) return run(one.quantity, other.quantity);
    if (!isInt(other)) return NO_SUCH_OVERLOAD;
    return run(one.quantity, quantityOf(BigInt(other), 0, 'DecimalExponent'));
  };
}

/** undefined: it was written with a fraction or more digits than always fit an int64, or does not fit one. */
function wholeOf({ unscaled, exponent, isBig }: Quantity): CelValue | undefined {
  if (isBig === true || exponent < 0) return undefined;
  if (unscaled === 0n) return 0;
  if (exponent > 19) return undefined;
  const value = intOf(unscaled * 10n ** BigInt(exponent));
  return value instanceof CelError ? undefined : value;
}

const NO_INTEGER = new CelError('cannot convert value to integer');

const add = ofTwo((one, other) => new CelQuantity(addQuantities(one, other)));
const subtract = ofTwo((one, other) => {
  return new CelQuantity(addQuantities(one, { ...other, unscaled: -other.unscaled }));
});

const Q = QUANTITY_TYPE;

export const QUANTITIES: Library = [
  declare('quantity', overload('string_to_quantity', [STRING], Q, parse)),
  declare('isQuantity', overload('is_quantity_string', [STRING], BOOL, isQuantity)),
  declare(
    'sign',
    overload(
      'quantity_sign',
      [Q],
      INT,
      ofQuantity(({ unscaled }) => Number(unscaled > 0n) - Number(unscaled < 0n)),
    ),
  ),
  declare(
    'isGreaterThan',
    method(
      'quantity_is_greater_than',
      [Q, Q],
      BOOL,
      ofTwo((one, other) => compareQuantities(one, other) > 0),
    ),
  ),
  declare(
    'isLessThan',
    method(
      'quantity_is_less_than',
      [Q, Q],
      BOOL,
      ofTwo((one, other) => compareQuantities(one, other) < 0),
    ),
  ),
  declare(
    'compareTo',
    method(
      'quantity_compare_to',
      [Q, Q],
      INT,
      ofTwo((one, other) => Math.sign(compareQuantities(one, other))),
    ),
  ),
  declare(
    'asApproximateFloat',
    method(
      'quantity_get_float',
      [Q],
      DOUBLE,
      ofQuantity(
        ({ unscaled, exponent }) =>
          new CelDouble(Number(`${unscaled.toString()}e${String(exponent)}`)),
      ),
    ),
  ),
  declare(
    'asInteger',
    method(
      'quantity_get_int',
      [Q],
      INT,
      ofQuantity((quantity) => wholeOf(quantity) ?? NO_INTEGER),
    ),
  ),
  declare(
    'isInteger',
    method(
      'quantity_is_integer',
      [Q],
      BOOL,
      ofQuantity((quantity) => wholeOf(quantity) !== undefined),
    ),
  ),
  declare(
    'add',
    method('quantity_add', [Q, Q], Q, add),
    method('quantity_add_int', [Q, INT], Q, add),
  ),
  declare(
    'sub',
    method('quantity_sub', [Q, Q], Q, subtract),
    method('quantity_sub_int', [Q, INT], Q, subtract),
  ),
];
