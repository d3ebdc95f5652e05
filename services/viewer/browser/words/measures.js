// Lengths and areas in words.

const number = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });

/**
 * Metres in words: `850 m`, `12.35 km (6.667 nmi)`.
 * @param {number} metres
 */
export function lengthText(metres) {
  if (metres < 1000) return `${number.format(metres)} m`;
  return `${number.format(metres / 1000)} km (${number.format(metres / 1852)} nmi)`;
}

/**
 * Square metres in words: `850 m²`, `12.35 km²`.
 * @param {number} squareMetres
 */
export function areaText(squareMetres) {
  return squareMetres < 1e5 ? `${number.format(squareMetres)} m²` : `${number.format(squareMetres / 1e6)} km²`;
}
