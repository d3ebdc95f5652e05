// How large a globe is on the screen.

const MOST = 0.9; // of the map's height
const LEAST = 0.6; // of its shorter side

/**
 * The zoom at which a globe fills the height of what is seen of the map. Sizes are in pixels, `beside` what lies over
 * the map at the left or right, latitude in degrees.
 * @param {{ width: number, height: number, beside: number, latitude: number }} map
 */
export function globeZoom({ width, height, beside, latitude }) {
  // a globe is always in the middle, so a panel at one side takes its room from both
  const across = Math.max(width - 2 * beside, LEAST * Math.min(width, height));
  // apparent radius, then the sphere's, both in heights of the map, as seen from the camera's distance of 1.5
  const seen = Math.min(MOST * height, across) / 2 / height;
  const radius = (3 * seen ** 2 + Math.sqrt(9 * seen ** 4 + 20.25 * seen ** 2)) / 4.5;
  return Math.log2((2 * radius * height * Math.PI * Math.cos((latitude * Math.PI) / 180)) / 512);
}
