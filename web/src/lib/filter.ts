import { superscript } from './format';

/** "2 P − P²" for the coefficients of P, P², ... */
export function formula(coefficients: readonly number[]): string {
  const terms = coefficients.flatMap((a, i) => {
    if (a === 0) return [];
    const size = Math.abs(a);
    const matrix = i === 0 ? 'P' : `P${superscript(i + 1)}`;
    return [{ less: a < 0, text: size === 1 ? matrix : `${size} ${matrix}` }];
  });
  if (terms.length === 0) return '0';
  return terms
    .map(({ less, text }, i) =>
      i === 0 ? (less ? `−${text}` : text) : `${less ? '−' : '+'} ${text}`,
    )
    .join(' ');
}
