// Lengths and areas in words.

import { LOCALE, say } from "./say.js";

const FIGURES = { maximumSignificantDigits: 4 };
const number = new Intl.NumberFormat(LOCALE, FIGURES);
/** @param {string} unit */
const lengths = (unit) => new Intl.NumberFormat(LOCALE, { ...FIGURES, style: "unit", unit });
const [metre, kilometre] = ["meter", "kilometer"].map(lengths);

/**
 * Metres in words: `850 m`, `12.35 km (6.667 nmi)`.
 * @param {number} metres
 */
export function lengthText(metres) {
  if (metres < 1000) return metre.format(metres);
  return say("{distance} ({number} nmi)", { distance: kilometre.format(metres / 1000), number: number.format(metres / 1852) });
}

/**
 * Square metres in words: `850 m²`, `12.35 km²`.
 * @param {number} squareMetres
 */
export function areaText(squareMetres) {
  return squareMetres < 1e5 ? `${number.format(squareMetres)} m²` : `${number.format(squareMetres / 1e6)} km²`;
}
