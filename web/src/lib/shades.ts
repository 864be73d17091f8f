/** From numbers of any range to shades from 0 to 1. */

/** As `byRank`, with the palest shade for what has no value. */
export function byRankOfKnown(values: Float32Array): Float32Array {
  const known = [...values.keys()].filter((at) => !Number.isNaN(values[at]!));
  const ranked = byRank(known.map((at) => values[at]!));
  const shades = new Float32Array(values.length).fill(0);
  known.forEach((at, place) => (shades[at] = 0.25 + 0.75 * ranked[place]!));
  return shades;
}

/** Values brought to 0 to 1 by their rank, so that a few extreme ones do not hide the rest. */
export function byRank(values: ArrayLike<number>): Float32Array {
  const order = Array.from({ length: values.length }, (_, at) => at).sort((a, b) => values[a]! - values[b]!);
  const shades = new Float32Array(values.length);
  for (let at = 0; at < order.length;) {
    let end = at;
    while (end < order.length && values[order[end]!] === values[order[at]!]) end++;
    for (let same = at; same < end; same++)
      shades[order[same]!] = order.length > 1 ? (at + end - 1) / 2 / (order.length - 1) : 0.5;
    at = end;
  }
  return shades;
}
