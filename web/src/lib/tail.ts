/** How much of all ratings the most rated share `x` of items gets; `points` is a rising curve. */
export function shareOfTop(points: readonly (readonly [number, number])[], x: number): number {
  let [x0, y0] = [0, 0];
  for (const [x1, y1] of points) {
    if (x1 >= x) return x1 > x0 ? y0 + ((y1 - y0) * (x - x0)) / (x1 - x0) : y1;
    [x0, y0] = [x1, y1];
  }
  return y0;
}
