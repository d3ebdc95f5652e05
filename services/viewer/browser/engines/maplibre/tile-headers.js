// Runs in MapLibre's worker. Tells the page which addresses are requested, and how many features a tile omits. A
// response header has this number, and MapLibre does not pass it on.

import { ASKED } from "./first-asked.js";
import { sharedFetch } from "./shared-fetch.js";

if (typeof document === "undefined") listen();

function listen() {
  const plain = sharedFetch(self.fetch.bind(self));
  const asked = new BroadcastChannel(ASKED);
  const channel = new BroadcastChannel("dams-features-omitted");
  self.fetch = async (...given) => {
    const answer = plain(...given);
    asked.postMessage(new Request(given[0]).url);
    const response = await answer;
    const [omitted, simplified] = ["Omitted", "Simplified"].map((what) => response.headers.get(`DAMS-Features-${what}`));
    if (omitted !== null) channel.postMessage({ url: response.url, omitted, simplified });
    return response;
  };
}
