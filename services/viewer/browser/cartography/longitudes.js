// Longitudes that run on beyond ±180°.

/**
 * The same longitude within half a turn of another.
 * @param {number} longitude
 * @param {number} other
 */
export const beside = (longitude, other) => other + ((((longitude - other + 180) % 360) + 360) % 360) - 180;
