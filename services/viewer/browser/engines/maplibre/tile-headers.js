// In MapLibre's worker: tells the page how many features a tile leaves out, which its header says and MapLibre does not.

if (typeof document === "undefined") listen();

function listen() {
  const plain = self.fetch.bind(self);
  const channel = new BroadcastChannel("dams-features-omitted");
  self.fetch = async (...given) => {
    const response = await plain(...given);
    const omitted = response.headers.get("DAMS-Features-Omitted");
    if (omitted !== null) channel.postMessage({ url: response.url, omitted });
    return response;
  };
}
