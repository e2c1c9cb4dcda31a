/** Floating-point numbers as Go's strconv writes them in format 'g': `1.5`, `1e+06`, `1e-05`. */

/** The shortest text that reads back as the same double. */
export function formatGoFloat(value: number): string {
  return formatDigits(value.toExponential());
}

/** The shortest text that reads back as the same number of 32 bits. */
export function formatGoFloat32(value: number): string {
  const single = Math.fround(value);
  for (let digits = 0; digits < 9; digits++) {
    const text = single.toExponential(digits);
    if (Math.fround(Number(text)) === single) return formatDigits(text);
  }
  return formatDigits(single.toExponential(9));
}

/** @param exponential As JavaScript writes it: `-1.5e+3`. */
function formatDigits(exponential: string): string {
  const [mantissa = '', power = '0'] = exponential.split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(Number(exponential));
  const digits = String(Math.abs(exponent)).padStart(2, '0');
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${digits}`;
}
